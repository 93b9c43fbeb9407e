import { oneOf } from '../patterns.ts'
import type { Finding } from './effects.ts'
import { globOf, kindsOf } from './places.ts'
import type { SayingName } from '../../../shared/hooks/guard-words.ts'
import { ANY, isOpen, STAR, TEMPORARY } from './reading/value.ts'

/** Folders that a build makes again. */
const remade = new RegExp(
  `^${oneOf`
    node_modules bower_components dist build builds out output target bin obj generated public/build
    coverage \.nyc_output htmlcov test-results playwright-report logs? tmp temp \.tmp \.cache
    __pycache__ \.pytest_cache \.mypy_cache \.ruff_cache \.tox \.nox \.eggs .*\.egg-info venv \.venv env
    \.outgoing-cache \.turbo \.next \.nuxt \.svelte-kit \.angular \.vite \.sass-cache \.eslintcache
    storybook-static _build _site site cmake-build-\w+ deriveddata pods \.gradle \.dart_tool \.terraform
    \.serverless
  `}$`,
  'i',
)

/** A folder without which a system does not work, or which holds what belongs to all. */
const systemFolder = new RegExp(
  `^/${oneOf`
    bin boot dev etc lib lib32 lib64 libx32 proc root run sbin srv sys usr var opt home mnt media snap nix
    System Library Applications Users Volumes private cores Windows Program\x20Files
  `}(?:/${oneOf`
    bin sbin lib\w* share local log spool cache db libexec ssh systemd init\.d pam\.d include
  `})?$`,
)

const disk = new RegExp(
  `^/dev/${oneOf`
    (?:sd|hd|vd|xvd)[a-z]+\d* nvme\d+n\d+(?:p\d+)? r?disk\d+(?:s\d+)? a?da\d+(?:p\d+)? mmcblk\d+(?:p\d+)?
    md\d+ dm-\d+ loop\d+ mapper/.+ disk/by-.+ vg[\w-]*/.+ zvol/.+ mem kmem port mtd\d+ mtdblock\d+
    [a-z]*[?*\uE012-\uE014].*
  `}$`,
)

export const isDisk = (path: string): boolean => disk.test(path)

const systemFolders = '/bin /boot /etc /home /lib /opt /root /sbin /usr /var'.split(' ')

/** A file of the system. */
const systemFile = /^\/(?:etc|usr|bin|sbin|lib\w*|boot|dev|var\/lib|System|Library)\//

export const inside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`)

/** How far a deleting reaches. */
export interface Deleting {
  readonly isRecursive: boolean
  /** Its content is overwritten, so that no tool can bring it back. */
  readonly isWiped?: true
}

export interface Loss {
  readonly effect: Finding['effect']
  readonly says: SayingName
  readonly about: string
  readonly isCertain?: true
}

const destroys = (says: SayingName, about: string): Loss => ({ effect: 'destroy', says, about })

/** A project is a folder of its own: not a home, not the root. */
const isProject = (folder: string): boolean =>
  folder.split('/').filter((part) => part !== '').length > 1 || folder.startsWith(TEMPORARY)

/**
 * What is lost when a path in normal form is deleted. Undefined for what nobody misses. `here` is the agent's
 * folder.
 */
export const lossOf = (path: string, { isRecursive, isWiped }: Deleting, here: string): Loss | undefined => {
  if (isDisk(path)) return { ...destroys('deletesDisk', path), isCertain: true }
  /** The folder that is deleted or emptied. */
  const folder = path.replace(/\/?\uE013*$/, '')
  const isEmptied = path.endsWith(STAR)
  if (isRecursive || isEmptied) {
    const glob = globOf(folder)
    const isSystem =
      systemFolder.test(folder) || (glob !== undefined && systemFolders.some((name) => glob.test(name)))
    const says =
      folder === '' ? 'deletesAll' : folder === '~' ? 'deletesHome' : isSystem ? 'deletesSystem' : undefined
    if (says !== undefined)
      return { ...destroys(says, folder), ...(isRecursive ? { isCertain: true as const } : {}) }
  }
  const kinds = kindsOf(folder)
  if (folder.startsWith('/var/log/')) return destroys('deletesLog', folder)
  if (kinds.has('records')) return { effect: 'git-loss', says: 'deletesRecords', about: folder }
  if (kinds.has('key') && !/\.env(?:\.\w+)?$/.test(folder)) return destroys('deletesKey', folder)
  if (kinds.has('rights') || (kinds.has('start') && !inside(folder, here)))
    return destroys('deletesSystem', folder)
  const isOurs = isProject(here) && inside(folder, here)
  if (!isOurs && folder.startsWith(`${TEMPORARY}/`)) return undefined
  if (isWiped === true) return destroys('wipes', folder)
  // A file by its name, such as package-lock.json, is no folder.
  const isFile = isOurs && /\.[a-z]\w{0,7}$/i.test(folder) && !/(?:^|\/)\.[^/]*$/.test(folder)
  if (!isRecursive || isFile) {
    if (isEmptied && !isOurs) return destroys('deletesOutside', folder)
    if (isEmptied && folder === here) return destroys('deletesFolder', folder)
    if (systemFile.test(path)) return destroys('deletesSystem', path)
    return isOurs || isOpen(path) ? undefined : destroys('deletesFileOutside', path)
  }
  // Files by their kind, such as *.log.
  if (/[\uE013\uE014][^/]*\.\w{1,8}$/.test(folder) && isOurs) return undefined
  if (isOpen(folder)) return destroys('deletesUnknown', folder)
  if (!isOurs) return destroys(systemFile.test(folder) ? 'deletesSystem' : 'deletesOutside', folder)
  if (folder === here) return destroys('deletesProject', folder)
  const within = folder.slice(here.length + 1)
  if (within.split('/').some((part) => remade.test(part.replaceAll(ANY, '').replaceAll(STAR, ''))))
    return undefined
  return destroys('deletesFolder', within)
}
