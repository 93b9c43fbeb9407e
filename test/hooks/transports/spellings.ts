/** One way to write, or to hide, a server that no hook may reach. PORT stands for the port of a server on 127.0.0.1. */
export interface Spelling {
  readonly what: string
  readonly url: string
  /** What a name leads to, when the name by itself says nothing. */
  readonly lookedUp?: readonly string[]
  /** Without a guard it does lead to that server, so that a test can fail. */
  readonly isReached?: true
}

const row = (what: string, ...urls: readonly string[]): readonly Spelling[] => urls.map((url) => ({ what, url }))
const reaching = (what: string, ...urls: readonly string[]): readonly Spelling[] => urls.map((url) => ({ what, url, isReached: true }))

export const spellings: readonly Spelling[] = [
  ...reaching('plain', 'http://127.0.0.1:PORT/'),
  ...reaching('decimal', 'http://2130706433:PORT/'),
  ...reaching('octal', 'http://0177.0.0.1:PORT/', 'http://017700000001:PORT/', 'http://0177.0.0.01:PORT/'),
  ...reaching('hexadecimal', 'http://0x7f000001:PORT/', 'http://0x7f.0.0.1:PORT/', 'http://0X7F.0x0.0x0.0x1:PORT/'),
  ...reaching('short', 'http://127.1:PORT/', 'http://127.0.1:PORT/', 'http://0x7f.1:PORT/'),
  ...row('nought', 'http://0.0.0.0:PORT/', 'http://0:PORT/'),
  ...reaching('full-width digits', 'http://１２７.０.０.１:PORT/', 'http://127。0。0。1:PORT/'),
  ...reaching('circled digits', 'http://①②⑦.⓪.⓪.①:PORT/'),
  ...reaching('percent signs', 'http://%31%32%37.0.0.1:PORT/', 'http://127%2e0%2e0%2e1:PORT/'),
  ...reaching('a dot at the end', 'http://127.0.0.1.:PORT/'),
  ...reaching('no slashes', 'http:127.0.0.1:PORT/', 'http:/127.0.0.1:PORT/', 'http:////127.0.0.1:PORT/'),
  ...reaching('backslashes', 'http:\\\\127.0.0.1:PORT\\', 'http://127.0.0.1:PORT\\@guard.example/'),
  ...reaching('tabs and line breaks', 'ht\ttp://127.0.0.1:PORT/', 'http://127.\n0.0.1:PORT/', ' http://127.0.0.1:PORT/ ', '\u0001http://127.0.0.1:PORT/'),
  ...reaching('capitals', 'HTTP://127.0.0.1:PORT/'),
  ...reaching('mapped', 'http://[::ffff:127.0.0.1]:PORT/', 'http://[::ffff:7f00:1]:PORT/', 'http://[0:0:0:0:0:ffff:7f00:0001]:PORT/'),
  ...reaching('the local name', 'http://localhost:PORT/', 'http://LOCALHOST:PORT/', 'http://localhost.:PORT/', 'http://ⓛocalhost:PORT/', 'http://a.localhost:PORT/', 'http://localhost.localdomain:PORT/'),
  ...reaching('user and password', 'http://guard.example@127.0.0.1:PORT/', 'http://u:p@127.0.0.1:PORT/', 'http://@127.0.0.1:PORT/', 'http://guard.example%2f@127.0.0.1:PORT/'),
  ...row('dots at the end', 'http://127.0.0.1..:PORT/', 'http://localhost..:PORT/', 'http://guard..example/', 'http://./'),
  ...row('elsewhere in this machine', 'http://127.255.255.254:PORT/', 'http://[::1]:PORT/', 'http://[::]:PORT/', 'http://0.1.2.3/'),
  ...row('private networks', 'http://10.0.0.1/', 'http://172.16.0.1/', 'http://172.31.255.255/', 'http://192.168.0.1/', 'http://100.64.0.1/', 'http://3232235777/', 'http://[fc00::1]/', 'http://[fd12:3456::1]/', 'http://[::ffff:10.0.0.1]/'),
  ...row('link-local', 'http://169.254.1.1/', 'http://[fe80::1]/', 'http://[fec0::1]/'),
  ...row('metadata services', 'http://169.254.169.254/latest/meta-data/', 'http://2852039166/', 'http://0xA9FEA9FE/', 'http://[::ffff:a9fe:a9fe]/', 'http://168.63.129.16/', 'http://100.100.100.200/', 'http://192.0.0.192/', 'http://[fd00:ec2::254]/', 'http://169.254.170.2/'),
  ...row('names of metadata services', 'http://metadata.google.internal/', 'http://metadata.google.internal./', 'http://METADATA/', 'http://instance-data/', 'http://metadata.goog/', 'http://metadata.tencentyun.com/', 'http://metadata.azure.internal/'),
  ...row('local names', 'http://printer.local/', 'http://db.internal/', 'http://nas.home.arpa/', 'http://x.y.internal./'),
  ...row('nobody\'s addresses', 'http://192.0.2.1/', 'http://198.51.100.1/', 'http://203.0.113.1/', 'http://198.18.0.1/', 'http://240.0.0.1/', 'http://255.255.255.255/', 'http://224.0.0.1/', 'http://192.88.99.1/', 'http://192.175.48.1/', 'http://192.52.193.1/'),
  ...row('an IPv4 address inside IPv6', 'http://[::127.0.0.1]/', 'http://[::ffff:0:127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://[64:ff9b::127.0.0.1]/', 'http://[64:ff9b:1::7f00:1]/', 'http://[2002:7f00:1::]/', 'http://[2002:7f00:1::1]/', 'http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/', 'http://[2001:470::5efe:7f00:1]/', 'http://[2001:470::200:5efe:7f00:1]/'),
  ...row('reserved IPv6', 'http://[2001:db8::1]/', 'http://[3fff::1]/', 'http://[5f00::1]/', 'http://[2001:2::1]/', 'http://[2001:10::1]/', 'http://[2001:20::1]/', 'http://[2001:1::1]/', 'http://[2620:4f:8000::1]/', 'http://[4000::1]/', 'http://[100::1]/', 'http://[ff02::1]/', 'http://[3ffe::1]/', 'http://[1::1]/'),
  ...row('zones', 'http://[fe80::1%25lo]/', 'http://[::1%lo]/', 'http://[fe80::1%eth0]/'),
  ...row('other schemes', 'ftp://127.0.0.1:PORT/', 'file:///etc/passwd', 'data:application/json,{}', 'gopher://127.0.0.1:PORT/_x', 'ws://127.0.0.1:PORT/', 'javascript:1', 'blob:http://127.0.0.1:PORT/x', 'unix:/var/run/docker.sock', 'http+unix://%2fvar%2frun%2fdocker.sock/x', 'http://unix:/var/run/docker.sock:/x', 'view-source:http://127.0.0.1:PORT/'),
  ...row('no scheme', '//127.0.0.1:PORT/', '127.0.0.1:PORT', '/x', ''),
  ...row('ports', 'http://127.0.0.2:0/', 'http://127.0.0.2:65536/', 'http://127.0.0.2:-1/', 'http://127.0.0.2:8o/'),
  ...row('a password for a server that is allowed', 'http://u:p@127.0.0.2:PORT/'),
  ...row('a server that is allowed, in disguise', 'http://127.0.0.2:PORT\\x', 'http:127.0.0.2:PORT/', 'http://127.2:PORT/', 'http://127.0.0.2:PORT/a b', 'http://127.0.0.2:PORT/\tx', 'http://127.0.0.2:PORT/#x', 'http://127.0.0.2.:PORT/'),
]
