import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'
import { leavesOutWechat, wechatTests } from './needs.ts'

const lacksOf = (task: TestCase | TestSuite): readonly string[] =>
  task.meta().lacks ?? (task.parent.type === 'module' ? [] : lacksOf(task.parent))

/** Says in one line at the end which tests did not run, for want of what, and how to run them. */
export const createLeftOut = (): Reporter => {
  const lacking = new Map<string, number>()
  return {
    onTestModuleEnd: (module: TestModule) => {
      for (const test of module.children.allTests('skipped')) {
        for (const name of lacksOf(test)) lacking.set(name, (lacking.get(name) ?? 0) + 1)
      }
    },
    onTestRunEnd: () => {
      if (leavesOutWechat)
        process.stdout.write(
          `Left out: ${wechatTests}, which needs wechaty. Run "npm ci --prefix bots/wechat" and the same again.\n`,
        )
      if (lacking.size === 0) return
      const counts = [...lacking]
        .toSorted(([, a], [, b]) => b - a)
        .map(([name, count]) => `${count} that need ${name}`)
      process.stdout.write(
        `Left out, since this machine does not have it: ${counts.join(', ')}. Install it and run the same again.\n`,
      )
    },
  }
}
