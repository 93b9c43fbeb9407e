import { expect, test } from 'vitest'
import { createNodeOf } from '../../../../src/shared/nodes/node-of.ts'

test.each([
  ['main', undefined],
  ['builder', 'desk'],
  ['claude-code', undefined],
  ['claude-code@lab', 'lab'],
  ['claude-code@lab:reviewer', 'lab'],
  ['claude-code:someone@lab', undefined],
  ['bridge:codex', undefined],
  ['hookgate', undefined],
])('the agent %s runs on the node %s', (agent, node) => {
  expect(createNodeOf([{ id: 'main' }, { id: 'builder', node: 'desk' }])(agent)).toBe(node)
})
