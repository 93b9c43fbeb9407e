import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * Makes a certificate that no authority of the system knows, and its key, in this folder. `names`: what it
 * counts for, as OpenSSL writes alternative names. Returns the paths of both files. Needs `openssl`.
 */
export const makeCertificate = (
  folder: string,
  names: string,
): { readonly key: string; readonly certificate: string } => {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
  const files = ['-keyout', key, '-out', certificate]
  const content = ['-days', '2', '-subj', '/CN=hookgate test', '-addext', `subjectAltName=${names}`]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...content], {
    stdio: 'ignore',
  })
  return { key, certificate }
}
