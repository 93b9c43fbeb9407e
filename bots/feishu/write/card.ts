import type { Button, OutgoingMessage } from '../../../src/core/model/chat/push.ts'

/** Feishu shows so much of a card in the list of chats. */
const maxSummaryUnits = 100

const buttonOf = ({ label, press }: Button) => ({
  tag: 'button',
  text: { tag: 'plain_text', content: label },
  type: 'default',
  behaviors: [{ type: 'callback', value: { press } }],
})

/** Several buttons stand side by side, and go to the next line where a phone is too narrow. */
const rowOf = (row: readonly Button[]): readonly object[] =>
  row.length === 1
    ? row.map(buttonOf)
    : [
        {
          tag: 'column_set',
          flex_mode: 'flow',
          columns: row.map((button) => ({ tag: 'column', width: 'auto', elements: [buttonOf(button)] })),
        },
      ]

/** The content of a card: a text without markup, and the rows of buttons under it. It cannot be forwarded. */
export const cardOf = ({ text, buttons = [] }: OutgoingMessage): string =>
  JSON.stringify({
    schema: '2.0',
    config: {
      update_multi: true,
      enable_forward: false,
      summary: { content: text.slice(0, maxSummaryUnits).toWellFormed() },
    },
    body: {
      elements: [
        { tag: 'div', text: { tag: 'plain_text', content: text } },
        ...buttons.filter((row) => row.length > 0).flatMap(rowOf),
      ],
    },
  })
