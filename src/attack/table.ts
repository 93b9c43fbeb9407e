import type { Forgery } from './forgery.ts'
import { answerForgeries } from './forgeries/answers.ts'
import { awayForgeries } from './forgeries/away.ts'
import { bridgeForgeries } from './forgeries/bridge.ts'
import { consoleForgeries } from './forgeries/console.ts'
import { entryForgeries, switchForgeries } from './forgeries/workspace.ts'
import { folderForgeries } from './forgeries/folder.ts'
import { knownForgeries } from './forgeries/known.ts'
import { ledgerForgeries } from './forgeries/ledger.ts'
import { loadForgeries } from './forgeries/load.ts'
import { pageForgeries } from './forgeries/page.ts'
import { programForgeries } from './forgeries/programs.ts'
import { sealForgeries } from './forgeries/seals.ts'
import { secretForgeries } from './forgeries/secrets.ts'
import { signalForgeries } from './forgeries/signals.ts'
import { socketForgeries } from './forgeries/sockets.ts'

/** All forgeries, in the order of the report. */
export const forgeries: readonly Forgery[] = [
  ...secretForgeries,
  ...ledgerForgeries,
  ...folderForgeries,
  ...sealForgeries,
  ...programForgeries,
  ...entryForgeries,
  ...switchForgeries,
  ...socketForgeries,
  ...answerForgeries,
  ...awayForgeries,
  ...bridgeForgeries,
  ...pageForgeries,
  ...consoleForgeries,
  ...signalForgeries,
  ...loadForgeries,
  ...knownForgeries,
]
