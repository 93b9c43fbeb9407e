import type { Catalogue } from '../catalogues.ts'

/** The link to the web page, and its passkeys. */
export const passkeys: Catalogue = {
  '{0}\nValid once, for 5 minutes. Open it on the device that you want to log in with. It makes a passkey there, and from then on that device logs in at {1}.\nYour passkeys → /passkeys':
    '{0}\n只能用一次，5 分钟内有效。请在要用来登录的设备上打开它。它会在那台设备上创建通行密钥，以后那台设备就在 {1} 登录。\n你的通行密钥 → /passkeys',
  '{0} has a new passkey, which logs in at {1}.\nIf you do not know it → /passkeys remove {2}':
    '{0} 有了新的通行密钥，可以在 {1} 登录。\n如果你不知道这件事 → /passkeys remove {2}',
  'The page is for this machine only, so it needs no passkeys. For an address of its own, set channels.web.origin in gate.yaml.':
    '网页只供本机使用，所以不需要通行密钥。要让它有自己的地址，请在 gate.yaml 里设置 channels.web.origin。',
  'not used yet': '还没有用过',
  'last used {0}': '上次使用：{0}',
  '{0} of {1}, for {2}\n  added on {3} · {4}': '{0}，属于 {1}，用于 {2}\n  添加于 {3} · {4}',
  'There are no passkeys yet.': '还没有通行密钥。',
  'A passkey for one more device → /login\nOne less → /passkeys remove <name>':
    '再给一台设备添加通行密钥 → /login\n移除一个 → /passkeys remove <名称>',
  'The passkey {0} of {1} was removed by {2}. It no longer logs in.':
    '{1} 的通行密钥 {0} 已被 {2} 移除，不能再登录。',
  'The passkey {0} of {1} is removed. It no longer logs in, and its sessions have ended.':
    '{1} 的通行密钥 {0} 已移除。它不能再登录，它的登录状态也已结束。',
  'the passkeys that log in to the web page': '登录网页的通行密钥',
  'Type /passkeys, or /passkeys remove and a name that it shows.':
    '请输入 /passkeys，或者 /passkeys remove 加上它显示的名称。',
}
