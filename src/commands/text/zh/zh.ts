import type { Catalogue } from '../catalogues.ts'
import { questions } from './questions.ts'
import { people } from './people.ts'
import { history } from './history.ts'
import { lists } from './lists.ts'
import { cards } from './cards.ts'
import { commands } from './commands.ts'
import { doctor } from './doctor.ts'
import { events } from './events.ts'
import { families } from './families.ts'
import { gate } from './gate.ts'
import { inbox } from './inbox.ts'
import { starting } from './starting.ts'
import { forms } from './forms.ts'
import { passkeys } from './passkeys.ts'

/** Simplified Chinese. */
export const zh: Catalogue = {
  ...questions,
  ...people,
  ...history,
  ...lists,
  ...commands,
  ...families,
  ...cards,
  ...events,
  ...doctor,
  ...inbox,
  ...gate,
  ...starting,
  ...passkeys,
  ...forms,
}
