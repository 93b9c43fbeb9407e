import { beforeAll, describe, expect, test } from 'vitest'
import { forgeries } from '../../src/attack/table.ts'
import type { Forgery } from '../../src/attack/forgery.ts'
import { attackText } from '../../src/attack/text.ts'
import type { AttackResult } from '../../src/attack/judge.ts'
import { needs } from '../needs.ts'
import type { ModeName } from './modes.ts'
import type { Attacked } from '../../src/attack/run.ts'
import { tryAll } from './run.ts'

const line = ({ forgery, why }: AttackResult): string => `${forgery.name}: ${why}`

export const forUsers = needs('root', 'useradd', 'setpriv')
const strongest: ModeName = forUsers.skip === true ? 'sandbox' : 'users'

/**
 * Each forgery is tried under the strongest separation that this machine has, and under a weaker one only
 * where its outcome can differ: where nothing but the separation prevents it.
 */
const forgeriesUnder = (mode: ModeName): readonly Forgery[] =>
  mode === strongest
    ? forgeries
    : forgeries.filter(({ withoutSeparation }) => withoutSeparation !== undefined)

/**
 * Tries the forgeries, or those of them whose place `isMine`, as a process with the agent's rights against a
 * gate of its own with that separation.
 */
export const attackFromHost = (mode: ModeName, isMine: (place: number) => boolean = () => true) =>
  describe(`a process with the agent’s rights, separation: ${mode}`, () => {
    const wanted = forgeriesUnder(mode).filter((_, place) => isMine(place))
    let tried: Attacked
    const broken = (): readonly AttackResult[] => tried.results.filter(({ kind }) => kind === 'broken')

    beforeAll(async () => {
      tried = await tryAll(mode, { only: (forgery) => wanted.includes(forgery) })
      console.log(
        tried.results
          .map(({ forgery, kind, why }) => `${kind.padEnd(8)} ${forgery.title}: ${why}`)
          .join('\n'),
      )
    }, 1_200_000)

    test('each forgery was tried, none left out', () => {
      expect(tried.results.filter(({ kind }) => kind === 'untried').map(line)).toEqual([])
      expect(tried.results.length).toBe(wanted.length)
      expect(forgeriesUnder(mode).length).toBeGreaterThanOrEqual(40)
    })

    if (mode !== 'none')
      test('nothing got through', () => {
        expect(broken().map(line)).toEqual([])
      })

    if (mode === 'none')
      test('what is told to be open is open: no word of it outlives its mending', () => {
        const claims = ({ forgery: { withoutSeparation, varies } }: AttackResult): boolean =>
          withoutSeparation !== undefined && varies !== true
        expect(tried.results.filter((one) => one.kind === 'held' && claims(one)).map(line)).toEqual([])
      })

    test('the gate is in the end what it was', () => {
      expect(tried.left).toEqual([])
    })

    if (mode === 'none')
      test('what the attack says where nothing keeps the agent away names each that got through', () => {
        const text = attackText(tried.results, { separation: 'none', isAll: false })
        expect(
          broken()
            .filter(({ forgery }) => !text.split('\n').includes(`  ✗ ${forgery.title}`))
            .map(line),
        ).toEqual([])
      })
  })
