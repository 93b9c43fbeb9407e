import { refusal, type Notice } from '../../../core/model/chat/notice.ts'
import { fromTable, prose, proseLines, verbatim } from '../../../core/model/chat/prose.ts'
import type { GalleryJob } from '../../../shared/hooks/gallery.ts'
import type { CardButtons } from '../../cards/card-buttons.ts'
import { foldTypography } from '../../../core/commands/parse.ts'
import { optionsOf } from './shipped.ts'
import type { Command, CommandPorts } from '../../ports.ts'
import { translateInto } from '../../text/catalogues.ts'
import { ourWords } from '../../../shared/said/our-words.ts'

/** Finds a job by its number or its name. */
const jobOf = <Job extends GalleryJob>(typed: string, jobs: readonly Job[]): Job | undefined => {
  const key = foldTypography(typed)
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
  return /^\d{1,3}$/.test(key)
    ? jobs[Number(key) - 1]
    : jobs.find(({ name }) => name.toLowerCase() === key || translateInto('zh')(name) === key)
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
      .flatMap(({ entry, live }) => (entry === undefined ? [] : [{ live, options: optionsOf(entry) }]))
    // A file chooses the names of its hooks, so another hook can have the name of a job.
    const rowOf = ({ entry }: (typeof jobs)[number]) =>
      rows.find(({ options }) => options === optionsOf(entry))
    if (rest !== '') {
      const job = jobOf(rest, jobs)
      if (job === undefined) return refusal(prose`The gallery has no ${rest.slice(0, 60)}.\n→ /hooks gallery`)
      const name = fromTable(job.name)
      if (rowOf(job) !== undefined) return refusal(prose`${name} is proposed already.\n→ /hooks`)
      const why = await ports.propose({ name: job.name, ...job.hook })
      return why === undefined
        ? {
            text: prose`Proposed: ${name}. It waits for your approval, and its card comes by itself.\n→ /hooks`,
          }
        : refusal(prose`✗ ${name} was not proposed.\n${ourWords(why)}`)
    }
    const place = cardButtons.place(context)
    // A job with a button needs no line.
    const lines = jobs.map((job, index) => {
      const row = rowOf(job)
      if (place.canTap && row === undefined) return undefined
      const mark = row === undefined ? '' : row.live === undefined ? ' …' : ' ✓'
      return prose`${verbatim(`${index + 1}. `)}${fromTable(job.name)}${verbatim(mark)}`
    })
    const taps = jobs.flatMap((job, index) =>
      rowOf(job) === undefined
        ? [[{ act: 'gallery' as const, label: job.name, words: String(index + 1) }]]
        : [],
    )
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
