import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/**
 * What axe-core finds on a page, each with the elements. It runs in an isolated world of the debugger,
 * because the page itself lets no foreign script in.
 */
export const findings = async (page: Page): Promise<readonly string[]> => {
  // A button that has just come is pale for a moment, while it answers no tap.
  await page.locator('[data-fresh]').first().waitFor({ state: 'detached' })
  // It is not detached: that would take away the device for passkeys that a test gave to this page.
  const wire = await page.context().newCDPSession(page)
  const { frameTree } = await wire.send('Page.getFrameTree')
  const { executionContextId: contextId } = await wire.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'axe',
  })
  const run = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await wire.send('Runtime.evaluate', {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? 'axe failed')
    return result.value
  }
  await run(`${axe}; undefined`)
  const found = (await run(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) => JSON.parse(JSON.stringify(violations)))`,
  )) as readonly Finding[]
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
