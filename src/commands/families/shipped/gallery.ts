import type { ListedHook } from '../../../model/gate/catalogue.ts'
import { refusal, type Notice } from '../../../model/chat/notice.ts'
import { fixed, joinProse, prose, verbatim } from '../../../model/chat/prose.ts'
import type { Address } from '../../../model/chat/push.ts'
import type { GalleryJob } from '../../../model/hooks/gallery.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { foldTypography } from '../../parse.ts'
import type { CataloguePorts, Command, GalleryPorts, ReaderPorts } from '../../ports.ts'

/** The hook of a job in the list, if a file proposes it or an owner approved it. */
const rowOf = ({ name, hook }: GalleryJob, rows: readonly ListedHook[]): ListedHook | undefined =>
  rows.find((row) => row.name === name && row.event === hook.event)

/** Finds a job by its number or its name. */
const jobOf = (typed: string, jobs: readonly GalleryJob[]): GalleryJob | undefined => {
  const key = foldTypography(typed)
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
  return /^\d{1,3}$/.test(key)
    ? jobs[Number(key) - 1]
    : jobs.find(({ name, zh }) => name.toLowerCase() === key || zh === key)
}

/**
 * Lists hooks for single jobs. One of them is written into the file of proposals, with the agent's rights. It
 * waits there for its approval like what an agent proposes.
 */
export const galleryCommand = (
  ports: Pick<CataloguePorts, 'rows'> & GalleryPorts & ReaderPorts,
  cardButtons: CardButtons,
): Command => ({
  path: 'hooks gallery',
  usage: '/hooks gallery [number]',
  summary: 'hooks for single jobs, to propose with one tap',
  need: 'owner',
  looks: true,
  run: async (rest, context): Promise<Notice> => {
    const jobs = ports.gallery()
    const rows = ports.rows()
    const called = ({ name, zh }: GalleryJob, address: Address): string =>
      ports.readers.languageOf(address) === 'zh' ? zh : name
    if (rest !== '') {
      const job = jobOf(rest, jobs)
      if (job === undefined) return refusal(prose`The gallery has no ${rest.slice(0, 60)}.\n→ /hooks gallery`)
      const name = verbatim(called(job, context.address))
      if (rowOf(job, rows) !== undefined) return refusal(prose`${name} is proposed already.\n→ /hooks`)
      const why = await ports.propose({ name: job.name, ...job.hook })
      return why === undefined
        ? {
            text: prose`Proposed: ${name}. It waits for your approval, and its card comes by itself.\n→ /hooks`,
          }
        : refusal(prose`✗ ${name} was not proposed.\n${why}`)
    }
    const lines = jobs.map((job, index) => {
      const row = rowOf(job, rows)
      const mark = row === undefined ? '' : row.live === undefined ? ' …' : ' ✓'
      return verbatim(`${index + 1}. ${called(job, context.address)}${mark}`)
    })
    const taps = jobs.flatMap((job, index) =>
      rowOf(job, rows) === undefined
        ? [[{ act: 'gallery' as const, label: called(job, context.address), words: String(index + 1) }]]
        : [],
    )
    const place = cardButtons.place(context)
    return {
      text: joinProse(
        [
          fixed('Hooks for single jobs. A tap proposes one; it fires only after you approve it:'),
          ...lines,
          ...(place.canTap ? [] : [fixed('→ /hooks gallery 1')]),
        ],
        '\n',
      ),
      ...cardButtons.under(place, taps),
    }
  },
})
