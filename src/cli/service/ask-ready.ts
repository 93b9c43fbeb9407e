import { get } from 'node:http'
import type { Readiness } from '../../service/status.ts'

const maxAnswerBytes = 1000

/**
 * Asks the gate whether it works. Another program may listen there, so little of its answer is read.
 * Undefined: nobody answers.
 */
export const askReady = (address: string, host: string): Promise<Readiness> =>
  new Promise((resolve) => {
    const request = get(address, { headers: { host }, signal: AbortSignal.timeout(5000) }, (response) => {
      let text = ''
      const done = (): void => {
        const line = text.slice(0, maxAnswerBytes).split('\n', 1)[0] ?? ''
        const words = line.replaceAll(/\p{Cc}/gu, ' ')
        resolve({ isReady: response.statusCode === 200, words })
        request.destroy()
      }
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
        if (text.length > maxAnswerBytes) done()
      })
      response.on('end', done).on('error', done)
    })
    request.on('error', () => resolve(undefined))
  })
