import { refusal, type Notice } from '../../../core/model/chat/notice.ts'
import { prose, verbatim, proseLines } from '../../../core/model/chat/prose.ts'
import type { Address } from '../../../core/model/chat/push.ts'
import type { GalleryJob } from '../../../shared/hooks/gallery.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { foldTypography } from '../../../core/commands/parse.ts'
import { optionsOf } from './protect.ts'
import type { Command, CommandPorts } from '../../ports.ts'

/** Finds a job by its number or its name. */
const jobOf = <Job extends GalleryJob>(typed: string, jobs: readonly Job[]): Job | undefined => {
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
export const galleryCommand = (ports: CommandPorts, cardButtons: CardButtons): Command => ({
  path: 'hooks gallery',
  usage: '/hooks gallery [number]',
  summary: 'hooks for single jobs, to propose with one tap',
  need: 'owner',
  needsRefresh: true,
  run: async (rest, context): Promise<Notice> => {
    const jobs = ports.gallery()
    const rows = ports
      .rows()
      .flatMap(({ entry, live }) => (entry === undefined ? [] : [{ live, options: optionsOf(entry, ports) }]))
    // A file chooses the names of its hooks, so another hook can have the name of a job.
    const rowOf = ({ entry }: (typeof jobs)[number]) =>
      rows.find(({ options }) => options === optionsOf(entry, ports))
    const called = ({ name, zh }: GalleryJob, address: Address): string =>
      ports.readers.languageOf(address) === 'zh' ? zh : name
    if (rest !== '') {
      const job = jobOf(rest, jobs)
      if (job === undefined) return refusal(prose`The gallery has no ${rest.slice(0, 60)}.\n→ /hooks gallery`)
      const name = verbatim(called(job, context.address))
      if (rowOf(job) !== undefined) return refusal(prose`${name} is proposed already.\n→ /hooks`)
      const why = await ports.propose({ name: job.name, ...job.hook })
      return why === undefined
        ? {
            text: prose`Proposed: ${name}. It waits for your approval, and its card comes by itself.\n→ /hooks`,
          }
        : refusal(prose`✗ ${name} was not proposed.\n${why}`)
    }
    const lines = jobs.map((job, index) => {
      const row = rowOf(job)
      const mark = row === undefined ? '' : row.live === undefined ? ' …' : ' ✓'
      return verbatim(`${index + 1}. ${called(job, context.address)}${mark}`)
    })
    const taps = jobs.flatMap((job, index) =>
      rowOf(job) === undefined
        ? [[{ act: 'gallery' as const, label: called(job, context.address), words: String(index + 1) }]]
        : [],
    )
    const place = cardButtons.place(context)
    return {
      text: proseLines(
        prose`Hooks for single jobs. A tap proposes one; it fires only after you approve it:`,
        ...lines,
        !place.canTap && prose`→ /hooks gallery 1`,
      ),
      ...cardButtons.under(place, taps),
    }
  },
})
