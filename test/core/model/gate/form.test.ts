import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../src/core/model/base/json.ts'
import { questionsOfSchema } from '../../../../src/shared/gate/form-schema.ts'
import {
  actOn,
  answersInWords,
  answersOf,
  meaningOf,
  maxFields,
  maxOptions,
  nextField,
  noProgress,
  readForm,
  type Form,
  type FormAct,
  type FormProgress,
} from '../../../../src/shared/gate/form.ts'
import { databaseQuestion } from '../../../fixtures/questions.ts'

/** The arguments of Claude Code's AskUserQuestion, as its model writes them. */
const claude = {
  questions: [
    databaseQuestion,
    {
      question: 'Which extras?',
      header: 'Extras',
      multiSelect: true,
      options: [
        { label: 'Login', description: 'Accounts' },
        { label: 'Search', description: 'An index' },
        { label: 'Mail', description: 'Newsletters' },
      ],
    },
  ],
}

const formOf = (from: Parameters<typeof readForm>[0]): Form => {
  const form = readForm(from)
  if (form === undefined) throw new Error('It is no form.')
  return form
}

const act = (form: Form, ...acts: readonly FormAct[]): FormProgress =>
  acts.reduce((progress, one) => {
    const next = actOn(form, progress, one)
    if (typeof next === 'string') throw new Error(`It does not fit: ${next}`)
    return next
  }, noProgress)

const option = (index: number): FormAct => ({ kind: 'option', option: index })
const words = (text: string): FormAct => ({ kind: 'words', words: text })

describe('the questions of an agent', () => {
  test.each<[string, Parameters<typeof readForm>[0]]>([
    ['Claude Code, Kimi and Droid', claude],
    [
      'OpenCode',
      {
        questions: [
          { question: 'Which?', header: 'H', options: [{ label: 'A', description: 'a' }], multiple: true },
        ],
      },
    ],
    [
      'Gemini',
      {
        questions: [
          { question: 'Sure?', header: 'H', type: 'yesno' },
          { question: 'Name?', header: 'N', type: 'text' },
        ],
      },
    ],
    ['Copilot', { question: 'Which?', choices: ['A', 'B'], allow_freeform: true }],
    ['hookgate', { question: 'Which?', options: ['A', 'B'] }],
  ])('of %s are a form', (_, input) => {
    expect(readForm(input)?.length).toBe(Array.isArray(input['questions']) ? input['questions'].length : 1)
  })

  test.each<[string, Parameters<typeof readForm>[0]]>([
    ['no text', { questions: [{ options: ['A'] }] }],
    ['no questions', { questions: [] }],
    ['two questions of one name', { questions: [{ question: 'Q' }, { question: 'Q' }] }],
    ['an option that no card shows whole', { question: 'Q', options: ['a'.repeat(201)] }],
    [
      'a value that no card shows whole',
      { question: 'Q', options: [{ label: 'A', value: 'a'.repeat(201) }] },
    ],
    ['a name that no card shows whole', { question: 'Q', id: 'a'.repeat(201) }],
    ['options that are no texts', { question: 'Q', options: [1, 2] }],
    [
      'too many questions',
      { questions: Array.from({ length: maxFields + 1 }, (_, at) => ({ question: `Q${at}` })) },
    ],
    [
      'too many options',
      { question: 'Q', options: Array.from({ length: maxOptions + 1 }, (_, at) => `O${at}`) },
    ],
    ['a question that is a number', { questions: [5] }],
  ])('with %s are none', (_, input) => expect(readForm(input)).toBeUndefined())
})

describe('an answer', () => {
  const form = formOf(claude)

  test('takes one option at once, and several one by one', () => {
    const progress = act(form, option(1), option(2), option(0), option(2), { kind: 'done' })
    expect(nextField(form, progress)).toBeUndefined()
    expect(answersOf(form, progress)).toEqual({ 'Which database?': 'SQLite', 'Which extras?': ['Login'] })
    expect(answersInWords(form, answersOf(form, progress))).toBe(
      'The person answered:\nWhich database?\n→ SQLite\nWhich extras?\n→ Login',
    )
  })

  test.each([
    ['2', 'SQLite'],
    ['２', 'SQLite'],
    ['2.', 'SQLite'],
    [' postgres ', 'Postgres'],
    ['neither, use files', 'neither, use files'],
    ['1,2', '1,2'],
    ['7', '7'],
  ])('typed as %j is %j', (typed, answer) => {
    expect(act(form, words(typed)).filled).toEqual([answer])
  })

  test.each([
    ['1,3', ['Login', 'Mail']],
    ['3 1 3', ['Mail', 'Login']],
    ['1、2', ['Login', 'Search']],
    ['Search', ['Search']],
    ['something else', ['something else']],
  ])('of several typed as %j is %j', (typed, answer) => {
    expect(act(form, option(0), words(typed)).filled[1]).toEqual(answer)
  })

  test.each([
    ['1', [{ label: 'Keep' }, { label: '1' }]],
    [
      'yes',
      [
        { label: 'Yes', value: 'keep' },
        { label: 'Yes', value: 'delete' },
      ],
    ],
  ])('typed as %j is none, where it could be one option or another', (typed, options) => {
    expect(actOn(formOf({ question: 'Q', options }), noProgress, words(typed))).toBe('option')
  })

  test('of an option is told beforehand where it is not the label', () => {
    const options: readonly Json[] = [
      { label: 'A' },
      { label: 'B', value: 'b' },
      { label: 'No', value: true },
      { label: 'C', value: [1] },
    ]
    const [field] = formOf({ question: 'Q', options: [...options, 'D'] })
    expect(field?.options.map(meaningOf)).toEqual([undefined, 'b', 'true', '1', undefined])
    const [yesOrNo] = formOf({
      questions: [...questionsOfSchema({ properties: { a: { type: 'boolean' } } })],
    })
    expect(yesOrNo?.options.map(meaningOf)).toEqual([undefined, undefined])
  })

  test('that does not fit changes nothing and says why', () => {
    const closed = formOf({
      questions: [
        { question: 'Size?', options: ['S', 'M'], allow_freeform: false },
        { question: 'How many?', type: 'integer' },
        { question: 'Weight?', type: 'number', required: false },
      ],
    })
    expect(actOn(closed, noProgress, words('XL'))).toBe('option')
    expect(actOn(closed, noProgress, option(2))).toBe('option')
    expect(actOn(closed, noProgress, { kind: 'done' })).toBe('option')
    expect(actOn(closed, noProgress, { kind: 'skip' })).toBe('required')
    const second = act(closed, option(1))
    expect(actOn(closed, second, words('2.5'))).toBe('integer')
    expect(actOn(closed, second, words('  '))).toBe('empty')
    expect(actOn(closed, second, words('x'.repeat(5000)))).toBe('long')
    const last = act(closed, option(1), words('３'))
    expect(actOn(closed, last, words('heavy'))).toBe('number')
    const all = act(closed, option(1), words('３'), { kind: 'skip' })
    expect(answersOf(closed, all)).toEqual({ 'Size?': 'M', 'How many?': 3 })
    expect(actOn(closed, all, words('more'))).toBe('over')
    expect(actOn(closed, all, { kind: 'again' })).toEqual(noProgress)
  })

  test('whatever a person does, the answers fit the form', () => {
    const one = fc.oneof(
      fc.integer({ min: 0, max: 4 }).map(option),
      fc.string().map(words),
      fc.constantFrom<FormAct>({ kind: 'done' }, { kind: 'skip' }, { kind: 'again' }),
    )
    fc.assert(
      fc.property(fc.array(one, { maxLength: 30 }), (acts) => {
        let progress = noProgress
        for (const each of acts) {
          const next = actOn(form, progress, each)
          if (typeof next !== 'string') progress = next
        }
        expect(progress.filled.length).toBeLessThanOrEqual(form.length)
        const answers = answersOf(form, progress)
        expect(Object.keys(answers)).toHaveLength(progress.filled.length)
        expect(Array.isArray(answers['Which extras?'] ?? [])).toBe(true)
      }),
    )
  })
})

describe('a requested schema', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'Your name' },
      size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
      plan: {
        type: 'string',
        oneOf: [
          { const: 'p1', title: 'Free' },
          { const: 'p2', title: 'Paid' },
        ],
      },
      tags: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'a', title: 'Alpha' },
            { const: 'b', title: 'Beta' },
          ],
        },
      },
      age: { type: 'integer', title: 'Age' },
      news: { type: 'boolean', title: 'Newsletter?' },
    },
    required: ['name', 'size', 'plan', 'news'],
  }

  test('is a form whose answers have the types of the schema', () => {
    const form = formOf({ questions: [...questionsOfSchema(schema)] })
    const progress = act(
      form,
      words('Ann'),
      words('medium'),
      option(1),
      option(0),
      option(1),
      { kind: 'done' },
      words('41'),
      option(0),
    )
    expect(answersOf(form, progress)).toEqual({
      name: 'Ann',
      size: 'm',
      plan: 'p2',
      tags: ['a', 'b'],
      age: 41,
      news: true,
    })
    expect(form.map(({ isOptional }) => isOptional)).toEqual([false, false, false, true, true, false])
    expect(form.map(({ takesWords }) => takesWords)).toEqual([true, false, false, false, true, false])
  })

  test.each<Json | undefined>([undefined, 5, {}, { properties: [] }, { properties: {} }])(
    '%j has no questions',
    (empty) => {
      expect(questionsOfSchema(empty)).toEqual([])
    },
  )
})
