import { alike } from '../../core/model/chat/alike.ts'
import type { Person } from '../../core/model/gate/person.ts'
import { named, prose, whole, type Prose } from '../../core/model/chat/prose.ts'
import { exactName } from './exact.ts'

/** Names that a person could take for each other have the same skeleton. */
export const skeletonOf = (name: string): string =>
  Array.from(name.normalize('NFKD').toLowerCase(), (letter) => alike.get(letter) ?? letter)
    .join('')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('0', 'o')
    .replaceAll(/[1|l]/g, 'i')

/** Letters, digits and what names have between them. Nothing of it looks like words of a notice. */
const plainName = /^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N} .'’_-]*$/u

/**
 * A person as others read them: by the name that they had when they paired. The id stands beside a name that
 * somebody else could have, too, and alone where there is no name.
 */
export const personWords = (person: Pick<Person, 'id' | 'name'>, people: readonly Person[]): Prose => {
  const { id, name } = person
  if (name === undefined) return named(id)
  const skeleton = skeletonOf(name)
  const isDoubled =
    skeleton === '' ||
    people.some(
      (other) =>
        other.id !== id && [other.name ?? '', other.id].some((text) => skeletonOf(text) === skeleton),
    )
  const words = whole(plainName.test(name) ? name : exactName(name))
  return isDoubled || !plainName.test(name) ? prose`${words} (${named(id)})` : words
}

/** The name of the person with this id. Somebody who has no role any more is named by the id. */
export const nameOfId = (id: string, people: readonly Person[]): Prose =>
  personWords(people.find((person) => person.id === id) ?? { id }, people)

/** The people whom typed words name: by the id, or by a name that only one person has. */
export const findPeople = (typed: string, people: readonly Person[]): readonly Person[] => {
  const byId = people.filter(({ id }) => id === typed)
  if (byId.length > 0) return byId
  const skeleton = skeletonOf(typed)
  return skeleton === '' ? [] : people.filter(({ name = '' }) => skeletonOf(name) === skeleton)
}
