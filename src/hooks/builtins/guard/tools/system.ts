import { type Call, type Programs, tools } from '../call.ts'
import { isDisk } from '../deleting.ts'
import { pathsOf } from '../files.ts'
import { empty, isOpen, joined, open, origin } from '../reading/value.ts'

const first = (call: Call): string => call.text(0)

const line = (call: Call): string => call.words.map(({ texts: [text = ''] }) => text).join(' ')

const disks = (call: Call): readonly string[] =>
  call.operands
    .flatMap((operand) => pathsOf(operand, call.state))
    .filter((path) => isDisk(path) || isOpen(path))

/** Makes, erases or divides a disk. A file that stands for a disk is no loss. */
const erasesDisk = (call: Call): void => {
  if (call.has('help', 'h', 'version', 'V')) return
  for (const path of disks(call))
    call.machine.find('destroy', 'formatsDisk', path, isOpen(path) ? undefined : true)
}

const removesStorage = (names: string, verbs: RegExp, options = ''): Programs =>
  tools(names, `n,dry-run t,test help h version reportformat= ${options}`, (call) => {
    if (call.has('n', 't', 'help', 'h', 'version')) return
    const [verb = '', ...rest] =
      call.name.match(/^(?:lv|vg|pv)/) === null
        ? call.operands.map(({ texts: [text = ''] }) => text)
        : [call.name, ...call.operands.map(({ texts: [text = ''] }) => text)]
    if (verbs.test(`${verb} ${rest.join(' ')}`) && rest.length > 0)
      call.machine.find('destroy', 'removesStorage', rest.join(' '))
  })

/** An owner wants to know of a program that stops others by name, or all of them. */
const stops = (call: Call): void => {
  const words = call.words.map(({ texts: [text = ''] }) => text)
  if (call.name === 'kill') {
    const isHard = words.some((text) => /^-(?:9|kill|sigkill)$/i.test(text))
    const pids = words.slice(/^-(?:[a-z]|\d)/i.test(words[0] ?? '') ? 1 : 0)
    if (pids.some((pid) => pid === '-1' || pid === '1')) call.machine.find('destroy', 'stopsAll', '1', true)
    else if (
      call.words.some(
        ({ texts, from }) => texts.some((pid) => isOpen(pid)) && (isHard || (from & origin.list) !== 0),
      )
    )
      call.machine.find('destroy', 'stopsAll', call.machine.part)
    return
  }
  // Programs of developers are started and stopped all day.
  if (
    call.operands.length > 0 &&
    call.operands.every(({ texts }) => texts.every((text) => ofDevelopers.test(text)))
  )
    return
  call.machine.find('destroy', 'stopsAll', call.operands.map(({ texts: [text = ''] }) => text).join(' '))
}

/** Programs that developers start and stop all day. */
export const ofDevelopers =
  /\b(?:node|npm|pnpm|yarn|bun|deno|vite|next|nuxt|webpack|esbuild|rollup|tsc|tsx|ts-node|jest|vitest|playwright|python3?|uvicorn|gunicorn|flask|django|manage\.py|pytest|ruby|rails|puma|java|gradle|mvn|cargo|rust-analyzer|go|air|php|artisan|hugo|jekyll|storybook|electron|expo|metro|chrome|chromium|firefox|server|dev)\b/i

export const systemTools: Programs = {
  ...tools(
    'mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.exfat mkfs.f2fs mkfs.jfs mke2fs mkntfs mkdosfs newfs newfs_apfs newfs_hfs newfs_msdos mkswap mkreiserfs mkudffs',
    't= L= F f q b= N= n,dry-run n m= U= E= O= T= help V',
    (call) => {
      if (call.has('n') && /ext|^mke2fs|^mkfs$/.test(call.name)) return
      erasesDisk(call)
    },
  ),
  ...tools(
    'wipefs blkdiscard hdparm nvme sg_format badblocks mdadm cryptsetup shrink',
    'a,all f,force t= o= n,no-act w v s z zero-superblock stop security-erase= help version B= c= b=',
    (call) => {
      const text = line(call)
      if (call.has('n', 'help', 'version')) return
      const isErasing =
        call.name === 'wipefs'
          ? call.has('a', 'o')
          : call.name === 'hdparm'
            ? /--(?:security-erase|trim-sector|make-bad-sector|write-sector|dco-restore)/.test(text)
            : call.name === 'nvme'
              ? /\b(?:format|sanitize|write-zeroes|delete-ns|dsm)\b/.test(text)
              : call.name === 'badblocks'
                ? call.has('w')
                : call.name === 'mdadm'
                  ? /--(?:zero-superblock|stop|remove|create)/.test(text)
                  : call.name === 'cryptsetup'
                    ? /\b(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|reencrypt)\b/.test(text)
                    : true
      if (isErasing) for (const path of disks(call)) call.machine.find('destroy', 'formatsDisk', path, true)
    },
  ),
  ...tools(
    'fdisk sfdisk cfdisk gdisk sgdisk parted gpart diskutil fsck.format',
    'l,list s,script p,print d,delete Z,zap-all zap o,clear n= t= b,backup= v help version no-act',
    (call) => {
      const text = line(call)
      if (call.has('l', 'p', 'help', 'version', 'no-act', 'v') && !call.has('d', 'Z', 'o')) return
      const isErasing =
        call.name === 'parted'
          ? /\b(?:mklabel|mktable|rm|mkpart|resizepart)\b/.test(text)
          : call.name === 'diskutil'
            ? /\b(?:erase\w*|partitionDisk|secureErase|zeroDisk|reformat|apfs delete\w*)\b/i.test(text)
            : call.name === 'sgdisk'
              ? call.has('Z', 'o', 'd', 'zap', 'n')
              : call.name === 'sfdisk'
                ? call.has('d') || call.input !== empty
                : call.input !== empty
      if (!isErasing) return
      const found = disks(call)
      if (found.length === 0) call.machine.find('destroy', 'formatsDisk', first(call))
      for (const path of found) call.machine.find('destroy', 'formatsDisk', path, true)
    },
  ),
  ...removesStorage(
    'lvremove vgremove pvremove lvreduce vgreduce pvmove lvconvert vgcfgrestore',
    /./,
    'f y q v noudevsync S=,select= L=,size= l=,extents= r',
  ),
  ...tools('lvm', '+t,test h,help version', (call) =>
    call.has('t', 'h') ? undefined : call.runs(call.operands),
  ),
  ...removesStorage('zfs zpool zdb', /^(?:destroy|rollback|labelclear|remove|detach|split)\b/, 'r R f v d p'),
  ...removesStorage(
    'btrfs bcachefs',
    /^(?:subvolume|su|sub|device|dev|filesystem|fi)\s+(?:delete|del|remove|resize)\b|^(?:sub\w*)\s+delete/,
    'c v',
  ),
  ...tools(
    'dmsetup losetup drbdadm targetcli ceph rbd gluster',
    'f force yes-i-really-mean-it help',
    (call) => {
      if (
        /\b(?:remove|remove_all|wipe_table|rm|purge|delete|destroy|down|invalidate|wipe-md|zap)\b/.test(
          line(call),
        ) &&
        call.operands.length > 1
      )
        call.machine.find('destroy', 'removesStorage', line(call))
    },
  ),
  ...tools('shutdown reboot halt poweroff telinit init', 'help c k h r H P f n w', (call) => {
    if (call.has('help', 'c', 'k', 'w')) return
    if (call.name.endsWith('init') && !/^[016sS]$/.test(first(call))) return
    call.machine.find('destroy', 'switchesOff')
  }),
  ...tools(
    'systemctl service rc-service sv supervisorctl launchctl initctl chkconfig update-rc.d loginctl',
    'user system now f,force no-pager q t= H= M= p= all a l w help version root= runtime',
    (call) => {
      const words = call.operands.map(({ texts: [text = ''] }) => text)
      const [verb = '', ...rest] = /^(?:service|rc-service|update-rc\.d|chkconfig)$/.test(call.name)
        ? [words[1] ?? '', words[0] ?? '']
        : words
      const about = rest.join(' ')
      if (/^(?:reboot|poweroff|halt|kexec|emergency|rescue|isolate|suspend|hibernate)$/.test(verb))
        call.machine.find('destroy', 'switchesOff')
      else if (
        /^(?:stop|disable|mask|kill|remove|delete|bootout|unload|terminate-\w+|kill-\w+|off)$/.test(verb)
      )
        call.machine.find(
          /ssh|firewall|ufw|iptables|nftables|apparmor|selinux|audit|fail2ban|falcon|defender|clamav|crowdstrike|osquery|hookgate/i.test(
            about,
          )
            ? 'privilege'
            : 'destroy',
          /ssh|firewall|ufw|iptables|nftables|apparmor|selinux|audit|fail2ban|falcon|defender|clamav|crowdstrike|osquery|hookgate/i.test(
            about,
          )
            ? 'dropsProtection'
            : 'stopsService',
          about,
        )
      else if (
        /^(?:enable|reenable|link|edit|load|bootstrap|submit|preset|unmask|on|defaults|enable-linger|set-environment)$/.test(
          verb,
        )
      )
        call.machine.find('persistence', 'startsLater', about)
    },
  ),
  ...tools('kill', '', stops),
  ...tools(
    'killall pkill killall5 skill xkill taskkill fuser',
    'u= s= I e g i q r v w n= o y f x l P= t= k help',
    (call) => {
      if (call.has('l', 'help') || (call.name === 'fuser' && !call.has('k'))) return
      stops(call)
    },
  ),
  ...tools(
    'useradd adduser usermod userdel deluser groupadd groupdel groupmod gpasswd passwd chpasswd chage newusers vipw visudo chsh chfn dscl sysadminctl net',
    'a G= g= s= d= m M u= o p= r f U e= c= D k K= S status help',
    (call) => {
      if (call.has('S', 'status', 'help') || (call.name === 'visudo' && call.has('c'))) return
      if (/^(?:userdel|deluser|groupdel)$/.test(call.name))
        call.machine.find('destroy', 'deletesSystem', line(call))
      else if (call.name === 'chsh') call.machine.find('persistence', 'writesStart', line(call))
      else call.machine.find('privilege', 'getsRights', `${call.name} ${line(call)}`)
    },
  ),
  ...tools(
    'iptables ip6tables nft ufw firewall-cmd pfctl ipset ebtables netsh',
    'L,list n v S,list-rules C= t= help version state list-all',
    (call) => {
      const text = line(call)
      if (
        /(?:^|\s)(?:-L|--list\S*|-S|-n|-C|list|status|show|--state|--get\S*|-s\w*)(?:\s|$)/.test(text) &&
        !/(?:^|\s)(?:-F|-X|-P|-D|-A|-I|flush|delete)(?:\s|$)/.test(text)
      )
        return
      if (call.words.length > 0) call.machine.find('privilege', 'dropsProtection', `${call.name} ${text}`)
    },
  ),
  ...tools(
    'setenforce aa-disable aa-teardown apparmor_parser auditctl csrutil spctl tccutil nvram fdesetup mokutil bcdedit',
    'status help',
    (call) => {
      if (!/\bstatus\b|^-l$|--assess/.test(line(call)))
        call.machine.find('privilege', 'dropsProtection', `${call.name} ${line(call)}`)
    },
  ),
  ...tools('sysctl', 'w,write p a n q e', (call) => {
    if (call.has('w') || call.operands.some(({ texts }) => /=/.test(texts[0] ?? '')))
      call.machine.find('privilege', 'writesRights', line(call))
  }),
  ...tools('insmod modprobe rmmod kexec mknod kmod dkms bpftool', 'l n show-depends help version', (call) => {
    if (!call.has('n', 'show-depends', 'help', 'version'))
      call.machine.find('privilege', 'writesRights', `${call.name} ${line(call)}`)
  }),
  ...tools('mount', 't= o= a B bind r w L= U= l v n help', (call) => {
    if (call.operands.length > 1 || /remount|bind/.test(line(call)))
      call.machine.find('privilege', 'writesRights', `mount ${line(call)}`)
  }),
  ...tools('umount swapoff', 'a l f R help', (call) => {
    if (call.has('a')) call.machine.find('destroy', 'removesStorage', line(call))
  }),
  ...tools('security', '', (call) => {
    if (/^(?:find-(?:generic|internet)-password|dump-keychain|export|find-identity)/.test(first(call)))
      call.machine.find('secret-access', 'printsKey', 'keychain')
    if (first(call).startsWith('delete-')) call.machine.find('destroy', 'deletesKey', 'keychain')
  }),
  ...tools(
    'secret-tool pass gopass op bw lpass keepassxc-cli chamber doppler infisical keyring dashlane gnome-keyring-export',
    '',
    (call) => {
      if (
        /^(?:lookup|search|show|read|get|export|item|ls-secrets|cat|find|secrets|run|print|clip|list)$/.test(
          first(call),
        ) &&
        (call.operands.length > 1 || /^(?:export|show|secrets)$/.test(first(call)))
      )
        call.machine.find('secret-access', 'printsKey', `${call.name} ${first(call)}`)
      if (/^(?:rm|remove|delete|clear)$/.test(first(call)))
        call.machine.find('destroy', 'deletesKey', call.name)
    },
  ),
  ...tools('ssh-copy-id', 'i= p= o= f n s', (call) =>
    call.has('n') ? undefined : call.machine.find('persistence', 'startsLater', line(call)),
  ),
  ...tools('journalctl', 'vacuum-time= vacuum-size= vacuum-files= rotate flush', (call) => {
    if (call.has('vacuum-time', 'vacuum-size', 'vacuum-files'))
      call.machine.find('destroy', 'deletesLog', 'journal')
  }),
  ...tools('history', 'c d= a n r w s p', (call) => {
    if (call.has('c')) call.machine.find('privilege', 'dropsProtection', 'history')
    // What is written there can be run by its number or its begin.
    if (call.has('s')) call.machine.guess(() => call.runsShell(joined(call.operands, ' ')))
    return open()
  }),
  ...tools('fc', 'l e= n r s', (call) => {
    if (!call.has('l')) call.machine.find('remote-exec', 'runsUnknown', call.machine.part)
  }),
  ...tools('getent', '', (call) =>
    /^g?shadow$/.test(first(call)) ? call.machine.find('secret-access', 'readsKey', first(call)) : open(),
  ),
  ...tools('xattr', '', (call) => {
    if (/com\.apple\.quarantine/.test(line(call)) && /^-\w*[dc]/.test(call.words[0]?.texts[0] ?? ''))
      call.machine.find('privilege', 'dropsProtection', 'quarantine')
  }),
  ...tools('tmutil', '', (call) => {
    if (/^(?:delete|disable|deletelocalsnapshots|thinlocalsnapshots)/.test(first(call)))
      call.machine.find('destroy', 'removesStorage', line(call))
  }),
  ...tools('inotifywait inotifywatch fswatch auditd', 'm r e= q format= o= d t= x l help', (call) => {
    for (const operand of call.operands) {
      const content = call.contentOf(operand)
      if (
        (content.from & 12) !== 0 ||
        call.operands.some(({ texts }) => /^\/(?:etc|root|home|var\/log|boot)/.test(texts[0] ?? ''))
      )
        call.machine.find('secret-access', 'watchesFiles', operand.texts[0] ?? '')
    }
  }),
  ...tools('yes-to-all stress stress-ng', '', (call) => call.machine.find('destroy', 'floods', call.name)),
  ...tools('fallocate', 'l= o= d z p help', (call) => {
    if (/\d{3,}[gt]|\d[tpe]/i.test(call.values('l')[0]?.texts[0] ?? ''))
      call.machine.find('destroy', 'floods', line(call))
  }),
}
