import { readGallery } from '../../config/first-start.ts'
import { DIALECTS } from '../../dialects/dialects.ts'
import { readEntry, type EntryProblem } from '../../proposals/entry/entry.ts'
import type { Entry } from '../../core/model/hooks/entry.ts'
import type { GalleryJob } from '../../shared/hooks/gallery.ts'
import { PROTECTION } from '../../shared/hooks/protection.ts'

/** Reads the hook of a job as a file of proposals would have it. */
export const readJob = ({ name, hook }: GalleryJob): { readonly entry: Entry } | EntryProblem =>
  readEntry({ name, ...hook }, 'hook', 'config/gallery.json', { dialects: DIALECTS })

let read: readonly (GalleryJob & { readonly entry: Entry })[] | undefined

/** The jobs that hookgate ships, each with its entry. A test reads each of them. */
export const galleryEntries = (): readonly (GalleryJob & { readonly entry: Entry })[] =>
  (read ??= readGallery().flatMap((job) => {
    const found = readJob(job)
    return 'problem' in found ? [] : [{ ...job, entry: found.entry }]
  }))

/** The hooks that hookgate ships: the guards of the protection, and those of the gallery. */
export const shippedEntries = (): readonly Entry[] =>
  [...PROTECTION, ...galleryEntries()].map(({ entry }) => entry)
