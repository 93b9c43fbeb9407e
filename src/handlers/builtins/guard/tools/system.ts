import { type Call, finds, inOrder, lineOf, nameOf, type Programs, tools, wholeOf } from '../call.ts'
import { isDisk } from '../deleting.ts'
import { anyOf, raw } from '../../patterns.ts'
import { empty, isOpen, joined, open, origin, textOf, textsOf } from '../reading/value.ts'

const disks = (call: Call): readonly string[] =>
  call.operands.flatMap(call.paths).filter((path) => isDisk(path) || isOpen(path))

const storageOptions = 'n!,dry-run t!,test help! h! version! reportformat='

/** Storage is removed where the words read so. */
const removesStorage = (about: (words: readonly string[]) => readonly string[], when: RegExp) =>
  finds('destroy', 'removesStorage', ({ operands }) => about(textsOf(operands)).join(' '), when)

const behindVerb = ([, ...rest]: readonly string[]): readonly string[] => rest

/** An owner wants to know of a program that stops others by name, or all of them. */
const stops = (call: Call): void => {
  const { texts: words } = call
  if (call.name === 'kill') {
    const isHard = words.some((text) => /^-(?:9|kill|sigkill)$/i.test(text))
    const pids = words.slice(/^-(?:[a-z]|\d)/i.test(words[0] ?? '') ? 1 : 0)
    if (pids.some((pid) => pid === '-1' || pid === '1')) call.find('destroy', 'stopsAll', '1', true)
    else if (
      call.words.some(({ texts, from }) => texts.some(isOpen) && (isHard || (from & origin.list) !== 0))
    )
      call.find('destroy', 'stopsAll', call.machine.part)
    return
  }
  // Programs of developers are started and stopped all day.
  const names = call.operands.flatMap(({ texts }) => texts)
  if (names.length === 0 || !names.every((text) => ofDevelopers.test(text)))
    call.find('destroy', 'stopsAll', textsOf(call.operands).join(' '))
}

/** Programs that developers start and stop all day. */
export const ofDevelopers = anyOf(
  'i',
  raw`\b(?:node|npm|pnpm|yarn|bun|deno|vite|next|nuxt|webpack|esbuild|rollup|tsc|tsx|ts-node|storybook)\b`,
  raw`\b(?:jest|vitest|playwright|pytest|electron|expo|metro|chrome|chromium|firefox|server|dev)\b`,
  raw`\b(?:python3?|uvicorn|gunicorn|flask|django|manage\.py|ruby|rails|puma|php|artisan|hugo|jekyll)\b`,
  raw`\b(?:java|gradle|mvn|cargo|rust-analyzer|go|air)\b`,
  // Their servers have the higher ports.
  raw`^\d{4,5}/(?:tcp|udp)$`,
)

/** Services that protect the machine. */
const protects = anyOf(
  'i',
  'ssh|firewall|ufw|iptables|nftables|apparmor|selinux|audit|fail2ban',
  'falcon|defender|clamav|crowdstrike|osquery|hookgate',
)

/** What starts a service at each start of the machine. */
const startsService = anyOf(
  '',
  '^(?:enable|reenable|enable-linger|link|edit|load|bootstrap|submit|preset|unmask|on|defaults)$',
  '^set-environment$',
)

/** The words, or the options, by which these erase a disk. */
const erasing: Readonly<Record<string, RegExp | string>> = {
  hdparm: /--(?:security-erase|trim-sector|make-bad-sector|write-sector|dco-restore)/,
  nvme: /\b(?:format|sanitize|write-zeroes|delete-ns|dsm)\b/,
  mdadm: /--(?:zero-superblock|stop|remove|create)/,
  cryptsetup: /\b(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt)\b/,
  parted: /\b(?:mklabel|mktable|rm|mkpart|resizepart)\b/,
  diskutil: /\b(?:erase\w*|partitionDisk|secureErase|zeroDisk|reformat|apfs delete\w*)\b/i,
  wipefs: 'a o',
  badblocks: 'w',
  sgdisk: 'Z o d zap n',
  sfdisk: 'd',
}

/** Undefined where it is not known of this program. */
const erases = (call: Call): boolean | undefined => {
  const how = erasing[call.name]
  return typeof how === 'string' ? call.has(...how.split(' ')) : how?.test(call.line())
}

const accountOptions = 'G= g= s= d= u= p= e= c= K= status! S! help!'

/** Words with which a store of passwords prints some. */
const printsSecret = anyOf(
  '',
  raw`^(?:lookup|search|show|document|read|get|export|item|ls-secrets|cat|find|secrets|run|print|clip|list)\n`,
  '^(?:export|show|secrets)$',
)

export const systemTools: Programs = {
  ...tools`mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat
    mkfs.f2fs mkfs.jfs mke2fs mkntfs mkdosfs newfs newfs_apfs newfs_hfs newfs_msdos mkswap mkreiserfs
    mkudffs:
    t= L= b= N= n,dry-run m= U= E= O= T= help! h! version! V!`((call) => {
    if (call.has('n') && /ext|^mke2fs|^mkfs$/.test(call.name)) return
    // A file that stands for a disk is no loss.
    for (const path of disks(call)) call.find('destroy', 'formatsDisk', path, isOpen(path) ? undefined : true)
  }),
  ...tools`wipefs blkdiscard hdparm nvme sg_format badblocks mdadm cryptsetup shrink:
    a,all t= o= n!,no-act security-erase= help! version! B= c= b=`((call) => {
    if (erases(call) === false) return
    for (const path of disks(call)) call.find('destroy', 'formatsDisk', path, true)
  }),
  ...tools`fdisk sfdisk cfdisk gdisk sgdisk parted gpart diskutil fsck.format:
    l,list p,print d,delete Z,zap-all zap o,clear n= t= b,backup= help version no-act`((call) => {
    if (call.has('l', 'p', 'help', 'version', 'no-act', 'v') && !call.has('d', 'Z', 'o')) return
    // Others read what to do from their input.
    const isFed = call.input !== empty && !/^(?:parted|diskutil|sgdisk)$/.test(call.name)
    if (erases(call) !== true && !isFed) return
    const found = disks(call)
    if (found.length === 0) call.find('destroy', 'formatsDisk', call.text(0))
    for (const path of found) call.find('destroy', 'formatsDisk', path, true)
  }),
  ...tools`lvremove vgremove pvremove lvreduce vgreduce pvmove lvconvert vgcfgrestore:
    ${storageOptions} f y q v noudevsync S=,select= L=,size= l=,extents= r`(
    removesStorage((words) => words, /./),
  ),
  ...tools`lvm: +t!,test h!,help version`((call) => call.runs(call.operands)),
  ...tools`zfs zpool zdb: ${storageOptions} r R f v d p`(
    removesStorage(behindVerb, /^(?:destroy|rollback|labelclear|remove|detach|split)\b.*\n/),
  ),
  ...tools`btrfs bcachefs: ${storageOptions} c v`(
    removesStorage(
      behindVerb,
      /^(?:subvolume|su|sub|device|dev|filesystem|fi)\n(?:delete|del|remove|resize)\b|^sub\w*\ndelete/,
    ),
  ),
  ...tools`shutdown reboot halt poweroff: help! c! k! w!`(finds('destroy', 'switchesOff')),
  ...tools`telinit init: help! c! k! w!`(finds('destroy', 'switchesOff', '', /^[016sS](?:\n|$)/)),
  ...tools`systemctl service rc-service sv supervisorctl launchctl initctl chkconfig update-rc.d loginctl:
    t= H= M= p= help version root=`((call) => {
    const words = textsOf(call.operands)
    const [verb = '', ...rest] = /^(?:service|rc-service|update-rc\.d|chkconfig)$/.test(call.name)
      ? [words[1] ?? '', words[0] ?? '']
      : words
    const about = rest.join(' ')
    if (/^(?:reboot|poweroff|halt|kexec|emergency|rescue|isolate|suspend|hibernate)$/.test(verb))
      call.find('destroy', 'switchesOff')
    else if (
      /^(?:stop|disable|mask|kill|remove|delete|bootout|unload|terminate-\w+|kill-\w+|off)$/.test(verb)
    )
      if (protects.test(about)) call.find('privilege', 'dropsProtection', about)
      else call.find('destroy', 'stopsService', about)
    else if (startsService.test(verb)) call.find('persistence', 'startsLater', about)
  }),
  ...tools`kill`(stops),
  ...tools`killall pkill killall5 skill xkill taskkill fuser: u= s= n= P= t= help! l!`((call) => {
    if (call.name !== 'fuser' || call.has('k')) stops(call)
  }),
  ...tools`userdel deluser groupdel: ${accountOptions}`(finds('destroy', 'deletesSystem', lineOf)),
  ...tools`chsh: ${accountOptions}`(finds('persistence', 'writesStart', lineOf)),
  ...tools`useradd adduser usermod groupadd groupmod gpasswd passwd chpasswd chage newusers vipw chfn dscl
    sysadminctl net:
    ${accountOptions}`(finds('privilege', 'getsRights', wholeOf)),
  ...tools`visudo: ${accountOptions} c=!`(finds('privilege', 'getsRights', wholeOf)),
  ...tools`iptables ip6tables nft ufw firewall-cmd pfctl ipset ebtables netsh:
    L,list S,list-rules C= t= help version`((call) => {
    const text = call.line()
    if (
      /(?:^|\s)(?:-L|--list\S*|-S|-n|-C|list|status|show|--state|--get\S*|-s\w*)(?:\s|$)/.test(text) &&
      !/(?:^|\s)(?:-F|-X|-P|-D|-A|-I|flush|delete)(?:\s|$)/.test(text)
    )
      return
    if (call.words.length > 0) call.find('privilege', 'dropsProtection', `${call.name} ${text}`)
  }),
  ...tools`sysctl: w,write`((call) => {
    if (call.has('w') || call.operands.some((word) => textOf(word).includes('=')))
      call.find('privilege', 'writesRights', call.line())
  }),
  ...tools`mount: t= o= L= U= help`((call) => {
    if (call.operands.length > 1 || /remount|bind/.test(call.line()))
      call.find('privilege', 'writesRights', wholeOf(call))
  }),
  ...tools`umount swapoff: help`(finds('destroy', 'removesStorage', lineOf, 'a')),
  ...tools`secret-tool pass gopass op bw lpass keepassxc-cli chamber doppler infisical keyring dashlane
    gnome-keyring-export`(
    inOrder(
      finds('secret-access', 'printsKey', (call) => `${call.name} ${call.text(0)}`, printsSecret),
      finds('destroy', 'deletesKey', nameOf, /^(?:rm|remove|delete|clear)(?:\n|$)/),
    ),
  ),
  ...tools`ssh-copy-id: i= p= o= n!`(finds('persistence', 'startsLater', lineOf)),
  ...tools`journalctl: vacuum-time= vacuum-size= vacuum-files=`(
    finds('destroy', 'deletesLog', 'journal', 'vacuum-time vacuum-size vacuum-files'),
  ),
  ...tools`history: d=`((call) => {
    if (call.has('c')) call.find('privilege', 'dropsProtection', 'history')
    // What is written there can be run by its number or its begin.
    if (call.has('s')) call.machine.guess(() => call.runsShell(joined(call.operands, ' ')))
    return open()
  }),
  ...tools`fc: e= l!`(finds('remote-exec', 'runsUnknown', ({ machine }) => machine.part)),
  ...tools`getent`((call) =>
    /^g?shadow$/.test(call.text(0)) ? call.find('secret-access', 'readsKey', call.text(0)) : open(),
  ),
  ...tools`xattr`((call) => {
    if (/com\.apple\.quarantine/.test(call.line()) && /^-\w*[dc]/.test(textOf(call.words[0])))
      call.find('privilege', 'dropsProtection', 'quarantine')
  }),
  ...tools`inotifywait inotifywatch fswatch auditd: e= format= o= t= help`((call) => {
    for (const operand of call.operands) {
      const content = call.contentOf(operand)
      if (
        (content.from & (origin.key | origin.maybeKey)) !== 0 ||
        call.operands.some((word) => /^\/(?:etc|root|home|var\/log|boot)/.test(textOf(word)))
      )
        call.find('secret-access', 'watchesFiles', textOf(operand))
    }
  }),
  ...tools`yes-to-all stress stress-ng`(finds('destroy', 'floods', nameOf)),
  ...tools`fallocate: l= o= help`((call) => {
    if (/\d{3,}[gt]|\d[tpe]/i.test(textOf(call.values('l')[0]))) call.find('destroy', 'floods', call.line())
  }),
}
