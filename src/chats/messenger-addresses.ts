/** Source: get_link_info and match_urls in TDLib. */
const telegram = [
  // This includes every subdomain, since `name.t.me` means `t.me/name`.
  String.raw`(?<![a-z0-9_-])(?:t|telegram)\.(?:me|dog)(?!\.?[a-z0-9_-])`,
  String.raw`t(?:g|on|onsite):\/\/`,
  String.raw`(?<![a-z0-9])t(?:g|on|onsite):(?=[a-z0-9_])`,
].join('|')
/** The pages of public accounts (`mp.weixin.qq.com`) are ordinary pages and not included. */
const wechat = [
  String.raw`(?<![a-z0-9_-])(?:u\.wechat\.com|(?<!mp\.)weixin\.qq\.com|weixin110\.qq\.com)(?!\.?[a-z0-9_-])`,
  String.raw`(?<![a-z0-9_-])(?:wxaurl\.cn|wx\.tenpay\.com)(?!\.?[a-z0-9_-])`,
  String.raw`(?:weixin|wechat|wxp|wxwork|wework):(?=[a-z0-9_/])`,
].join('|')
/** Feishu takes every host that begins so for its own. Its pages (`open.feishu.cn`) are not included. */
const feishu = String.raw`(?<![a-z0-9_.-])applink\.(?=[a-z0-9])|(?:lark|feishu):\/\/`

/** The paths of Telegram's host that are no names. */
const reserved = [
  'addemoji',
  'addlist',
  'addstickers',
  'addstyle',
  'addtheme',
  'auction',
  'auth',
  'boost',
  'call',
  'confirmphone',
  'contact',
  'giftcode',
  'invoice',
  'joinchat',
  'login',
  'newbot',
  'oauth',
  'passport',
  'proxy',
  'setlanguage',
  'share',
  'socks',
].join('|')
/** The page of a public channel or person, or of one message there. The names of bots end in "bot". */
const pages = new RegExp(
  String.raw`^(?:https?://)?(?:t|telegram)\.me/` +
    String.raw`(?!(?:${reserved}|\w*bot)(?:/|$))[a-z]\w{3,31}(?:/\d{1,10})?/?$`,
  'i',
)

/** The addresses that messengers open by themselves. */
export const messengerAddresses = {
  notInCode: new RegExp(telegram),
  // WeChat and Feishu cannot show code.
  ofCodeless: new RegExp(`${wechat}|${feishu}`),
  // A web client takes the whole address as a parameter of its own address.
  nested: /t(?:g|on|onsite):\/\//,
  pages,
}
