/**
 * Addresses with which Telegram itself does something for whoever taps them, in the spellings that its
 * clients read. The name is a bot's, the text is a command to us.
 */
export const spellings: Readonly<Record<string, string>> = {
  'as it is': 'https://t.me/gate_bot?start=x',
  'capitals in the host': 'https://t.ME/gate_bot?start=x',
  'no scheme': 't.me/gate_bot?start=x',
  'the other host': 'https://telegram.me/gate_bot?start=x',
  'the third host': 'http://telegram.dog/gate_bot?start=x',
  'www before it': 'https://www.t.me/gate_bot?start=x',
  'the name as a host': 'https://gate_bot.t.me/?start=x',
  'the name as a host, in capitals': 'https://GATE_BOT.T.ME?start=x',
  'a dot behind the host': 'https://t.me./gate_bot?start=x',
  'a port': 'https://t.me:443/gate_bot?start=x',
  'a percent sign in the host': 'https://t%2Eme/gate_bot?start=x',
  'percent signs all over the host': 'https://%74%2e%6d%65/gate_bot?start=x',
  'a percent sign in the key': 'https://t.me/gate_bot?%73tart=x',
  'a percent sign in the name': 'https://t.me/gate%5Fbot?start=x',
  'padding before the key': `https://t.me/gate_bot?${'a=1&'.repeat(60)}start=x`,
  'padding before the name': 'https://t.me/s/%73/s/gate_bot?start=x',
  'full-width letters in the host': 'https://ｔ．ｍｅ/gate_bot?start=x',
  'a start in a group': 'https://t.me/gate_bot?startgroup=x&admin=post_messages',
  'a start of an application': 'https://t.me/gate_bot?startapp=x',
  'an application': 'https://t.me/gate_bot/app',
  'a text for the input line': 'https://t.me/gate_bot?text=/hooks off',
  'a text for the input line, encoded': 'https://t.me/gate_bot?text=%2Fhooks%20off',
  'a text to share': 'https://t.me/share/url?url=/hooks%20off',
  'a text to share, the other way': 'https://t.me/msg?text=/hooks%20off',
  'a bot to open': 'https://t.me/gate_bot',
  'a group to join': 'https://t.me/+AbCdEfGhIjK',
  'a group to join, the old way': 'https://t.me/joinchat/AbCdEfGhIjK',
  'a proxy': 'https://t.me/proxy?server=192.0.2.1&port=443&secret=00',
  'a SOCKS proxy': 'https://t.me/socks?server=192.0.2.1&port=443',
  'a login': 'https://t.me/login/12345',
  'the scheme': 'tg://resolve?domain=gate_bot&start=x',
  'the scheme in capitals': 'TG://resolve?domain=gate_bot&start=x',
  'the scheme without strokes': 'tg:resolve?domain=gate_bot&start=x',
  'the scheme with a text': 'tg://msg_url?url=/hooks%20off',
  'the scheme with a proxy': 'tg://proxy?server=192.0.2.1&port=443&secret=00',
  'the scheme of money': 'ton://transfer/abc?amount=1',
  'the scheme of its own sites': 'tonsite://gate.ton/x',
  'a web client that takes the scheme':
    'https://web.telegram.org/k/#?tgaddr=tg%3A%2F%2Fresolve%3Fdomain%3Dgate_bot%26start%3Dx',
}

/** Pages that are only looked at, and addresses that are none of Telegram's. */
export const harmless = [
  'https://t.me/some_channel',
  'https://t.me/some_channel/7',
  'https://T.me/durov',
  't.me/durov',
  'https://telegram.me/some_channel/7/',
  'https://example.com/?start=1',
  'https://t.men/durov?start=1',
  'https://not.me/a_bot?start=1',
  'https://client.me/x',
  'https://example.com/tg/resolve',
  'https://telegram.org/faq',
  'https://t.me.example.com/gate_bot?start=1',
  'https://open.feishu.cn/document/x',
  'https://my-applink.example.com/x',
  'feishu:ou_7',
]

/** Those of WeChat, which shows no code. */
export const wechatSpellings = [
  'weixin://dl/business/?t=abc',
  'WEIXIN://dl/chat',
  'wxp://f2f0abc',
  'https://u.wechat.com/EAbc',
  'u.wechat.com/EAbc',
  'https://U.WeChat.com/EAbc',
  'https://weixin.qq.com/g/abc',
  'https://work.weixin.qq.com/ca/abc',
  'https://wxaurl.cn/abc',
  'https://u%2Ewechat.com/EAbc',
]
