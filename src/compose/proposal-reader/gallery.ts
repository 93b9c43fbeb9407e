import { readGallery } from '../../config/first-start.ts'
import { DIALECTS } from '../../dialects/dialects.ts'
import { readEntry, type EntryProblem } from '../../proposals/entry/entry.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { GalleryJob } from '../../shared/hooks/gallery.ts'

/** Reads the hook of a job as a file of proposals would have it. */
export const readJob = ({ name, hook }: GalleryJob): { readonly entry: Entry } | EntryProblem =>
  readEntry({ name, ...hook }, 'hook', 'config/gallery.json', { dialects: DIALECTS })

/** The jobs that hookgate ships, each with its entry. A test reads each of them. */
export const galleryEntries = (): readonly (GalleryJob & { readonly entry: Entry })[] =>
  readGallery().flatMap((job) => {
    const read = readJob(job)
    return 'problem' in read ? [] : [{ ...job, entry: read.entry }]
  })
