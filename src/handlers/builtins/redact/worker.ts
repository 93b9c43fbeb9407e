/**
 * The program of the scanner's workers. Its rules are third-party regular expressions, and texts and files
 * are hostile, so each worker can be killed. One kind of question does not wait for another, so each kind has
 * a worker of its own, which loads only what it needs.
 */
import { workerData } from 'node:worker_threads'
import { answerQuestions } from '../../../shared/worker/worker-body.ts'
import type { JudgedFile } from './files/judge.ts'
import type { Subject } from './span.ts'

/** What a worker of each kind is asked. */
export interface ScanQuestions {
  readonly texts: { readonly subject: Subject; readonly texts: readonly string[] }
  /** `place` is told the index of the file that is looked at. */
  readonly files: {
    readonly files: readonly JudgedFile[]
    readonly withinMs: number
    readonly place: Int32Array
  }
  readonly look: string
}

const answers: {
  readonly [Kind in keyof ScanQuestions]: () => Promise<(question: ScanQuestions[Kind]) => unknown>
} = {
  texts: async () => {
    const [{ find }, { findPersonal }] = await Promise.all([
      import('./find.ts'),
      import('./personal/find.ts'),
    ])
    const finders = { secrets: find, personal: async (text: string) => findPersonal(text) }
    return ({ subject, texts }) => Promise.all(texts.map((text) => finders[subject](text)))
  },
  files: async () => {
    const { judge } = await import('./files/judge.ts')
    return ({ files, withinMs, place }) => judge(files, withinMs, (index) => Atomics.store(place, 0, index))
  },
  look: async () => (await import('../incoming/look.ts')).lookAt,
}

answerQuestions(await answers[workerData as keyof ScanQuestions]())
