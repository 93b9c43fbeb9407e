import { isObject, type Json, type JsonObject } from '../../core/model/base/json.ts'

/**
 * One choice. `value` is what the agent gets when a person takes it. A card shows it where it is not the
 * label.
 */
export interface FormOption {
  readonly label: string
  readonly about?: string
  readonly value: Json
}

/** One question of a form. A person takes one or several options, or writes words where it takes words. */
export interface FormField {
  /** The key of its answer. */
  readonly name: string
  readonly text: string
  /** A short title. */
  readonly title?: string
  readonly options: readonly FormOption[]
  readonly isMultiple: boolean
  readonly takesWords: boolean
  /** What the words have to be. */
  readonly type: 'text' | 'number' | 'integer'
  readonly isOptional: boolean
}

/** The questions that an agent asks a person at once, in their order. */
export type Form = readonly FormField[]

/** The answers to a form, by the names of its fields. */
export type FormAnswers = Readonly<Record<string, Json>>

/**
 * How far a person is. `filled` has one answer for each field so far; null: the person left it out. `chosen`
 * has the numbers of the options that are taken in the next field, which allows several.
 */
export interface FormProgress {
  readonly filled: readonly Json[]
  readonly chosen: readonly number[]
}

export const noProgress: FormProgress = { filled: [], chosen: [] }

/** The tools by which agents ask a person. The first is the name for those of all clients. */
const questionTools: readonly unknown[] = ['ask_user', 'ask_person']

export const isQuestionTool = (name: unknown): boolean => questionTools.includes(name)

/** A form with more fields or options is none, since nobody would answer it on a phone. */
export const maxFields = 20
export const maxOptions = 40
/** A longer label or value would not stand on the card as a whole. */
const maxOptionUnits = 200
/** A name that is not the question stands on the card, too. */
const maxNameUnits = 4000
const maxWordUnits = 4000

const textIn = (from: JsonObject, ...names: readonly string[]): string | undefined => {
  for (const name of names) {
    const value = Object.hasOwn(from, name) ? from[name] : undefined
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return undefined
}

/** An answer as one text. */
export const answerText = (value: Json): string =>
  Array.isArray(value)
    ? value.map(answerText).join(', ')
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** What the agent gets for an option. Undefined: its label says it. */
export const meaningOf = ({ label, value }: FormOption): string | undefined => {
  const isSaid = value === label || (label === 'Yes' && value === true) || (label === 'No' && value === false)
  return isSaid ? undefined : answerText(value)
}

const optionOf = (from: Json): FormOption | undefined => {
  if (typeof from === 'string') return optionOf({ label: from })
  if (!isObject(from)) return undefined
  const label = textIn(from, 'label', 'title', 'name', 'value')
  const about = textIn(from, 'description')
  if (label === undefined) return undefined
  const option = { label, about, value: from['value'] ?? label }
  return label.length > maxOptionUnits || (meaningOf(option) ?? '').length > maxOptionUnits
    ? undefined
    : option
}

const yesAndNo: readonly FormOption[] = [
  { label: 'Yes', value: 'Yes' },
  { label: 'No', value: 'No' },
]

const optionsOf = (from: JsonObject): readonly FormOption[] | undefined => {
  if (from['type'] === 'yesno') return yesAndNo
  const list = from['options'] ?? from['choices'] ?? []
  if (!Array.isArray(list) || list.length > maxOptions) return undefined
  const options = list.map(optionOf)
  return options.every((option) => option !== undefined) ? options : undefined
}

const isTrue = (from: JsonObject, ...names: readonly string[]): boolean =>
  names.some((name) => from[name] === true)

const isFalse = (from: JsonObject, ...names: readonly string[]): boolean =>
  names.some((name) => from[name] === false)

const fieldOf = (from: Json): FormField | undefined => {
  if (!isObject(from)) return undefined
  const text = textIn(from, 'question', 'prompt', 'text', 'message')
  const options = optionsOf(from)
  if (text === undefined || options === undefined) return undefined
  const name = textIn(from, 'id', 'name') ?? text
  const title = textIn(from, 'header', 'title')
  const { type } = from
  return name.length > (name === text ? maxNameUnits : maxOptionUnits)
    ? undefined
    : {
        name,
        text,
        ...(title === undefined || title === text ? {} : { title }),
        options,
        isMultiple:
          options.length > 0 && isTrue(from, 'multiSelect', 'multi_select', 'multiple', 'allow_multiple'),
        takesWords: options.length === 0 || !isFalse(from, 'allow_freeform', 'allowFreeform', 'custom'),
        type: type === 'number' || type === 'integer' ? type : 'text',
        isOptional: isFalse(from, 'required'),
      }
}

/**
 * Reads the questions of an agent: a list `questions`, or one question. The names are those of the question
 * tools of Claude Code, Kimi, Gemini, OpenCode, Copilot and hookgate. Undefined: nobody can answer it as a
 * form.
 */
export const readForm = (from: JsonObject): Form | undefined => {
  const { questions } = from
  const list = Array.isArray(questions) ? questions : [from]
  if (list.length === 0 || list.length > maxFields) return undefined
  const fields = list.map(fieldOf)
  const isForm = fields.every((field) => field !== undefined)
  return isForm && new Set(fields.map(({ name }) => name)).size === fields.length ? fields : undefined
}

/** The field that a person answers next. Undefined: all fields are answered. */
export const nextField = (form: Form, { filled }: FormProgress): FormField | undefined => form[filled.length]

/** What a person does with the next field. `option` counts from 0. */
export type FormAct =
  | { readonly kind: 'option'; readonly option: number }
  /** The options of a field that allows several are chosen. */
  | { readonly kind: 'done' }
  | { readonly kind: 'skip' }
  | { readonly kind: 'words'; readonly words: string }
  | { readonly kind: 'again' }

/** The same, or the word that all is as it should be. */
export type FormWord = FormAct | { readonly kind: 'send' }

/** Why an answer does not fit. */
export type FormMistake = 'option' | 'number' | 'integer' | 'empty' | 'long' | 'required' | 'over'

const folded = (text: string): string => text.normalize('NFKC').trim().toLowerCase()

/**
 * Reads words that name options by their numbers from 1, or one by its label. There is more than one reading
 * where two options have this label, or where the number of one is the label of another.
 */
const optionsNamed = ({ options, isMultiple }: FormField, words: string): readonly (readonly number[])[] => {
  const typed = folded(words)
  const named = options.flatMap(({ label }, index) => (folded(label) === typed ? [[index]] : []))
  const numbers = typed.split(/[\s,;、]+/).filter((part) => part !== '')
  const isNumbers = numbers.length > 0 && numbers.every((part) => /^\d{1,3}[.)]?$/.test(part))
  if (!isNumbers || (numbers.length > 1 && !isMultiple)) return named
  const chosen = [...new Set(numbers.map((part) => Number.parseInt(part, 10) - 1))]
  const isKnown = chosen.every((index) => options[index] !== undefined)
  const isOther = named.every(([index]) => chosen.length > 1 || index !== chosen[0])
  return isKnown && isOther ? [...named, chosen] : named
}

const valueOf = (field: FormField, words: string): { readonly value: Json } | FormMistake => {
  const { options, isMultiple, takesWords, type } = field
  const [chosen, another] = optionsNamed(field, words)
  if (another !== undefined) return 'option'
  if (chosen !== undefined) {
    const values = chosen.map((index) => options[index]?.value ?? null)
    return { value: isMultiple ? values : (values[0] ?? null) }
  }
  if (!takesWords) return 'option'
  const text = words.trim().toWellFormed()
  if (text === '') return 'empty'
  if (text.length > maxWordUnits) return 'long'
  if (type === 'text') return { value: isMultiple ? [text] : text }
  const number = Number(folded(text))
  return (type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number))
    ? { value: number }
    : type
}

/** The progress after one act, or why it does not fit. */
export const actOn = (form: Form, progress: FormProgress, act: FormAct): FormProgress | FormMistake => {
  if (act.kind === 'again') return noProgress
  const field = nextField(form, progress)
  if (field === undefined) return 'over'
  const { filled, chosen } = progress
  const fill = (value: Json): FormProgress => ({ filled: [...filled, value], chosen: [] })
  switch (act.kind) {
    case 'option': {
      const option = field.options[act.option]
      if (option === undefined) return 'option'
      if (!field.isMultiple) return fill(option.value)
      return {
        filled,
        chosen: chosen.includes(act.option)
          ? chosen.filter((one) => one !== act.option)
          : [...chosen, act.option].toSorted((a, b) => a - b),
      }
    }
    case 'done':
      if (!field.isMultiple || (chosen.length === 0 && !field.isOptional)) return 'option'
      return fill(chosen.map((index) => field.options[index]?.value ?? null))
    case 'skip':
      return field.isOptional ? fill(null) : 'required'
    case 'words': {
      const read = valueOf(field, act.words)
      return typeof read === 'string' ? read : fill(read.value)
    }
  }
}

/** The answers of a form whose fields are all answered. What was left out is absent. */
export const answersOf = (form: Form, { filled }: FormProgress): FormAnswers =>
  Object.fromEntries(
    form.flatMap(({ name }, index) => {
      const value = filled[index] ?? null
      return value === null ? [] : [[name, value] as const]
    }),
  )

/** The answers in words, for an agent whose question tool takes none. */
export const answersInWords = (form: Form, answers: FormAnswers): string => {
  const lines = form.map(({ name, text }) => {
    const value = Object.hasOwn(answers, name) ? answers[name] : undefined
    const words = value === undefined ? '(no answer)' : answerText(value)
    return form.length === 1 ? words : `${text}\n→ ${words}`
  })
  return `The person answered${form.length === 1 ? ': ' : ':\n'}${lines.join('\n')}`
}
