import { expect, test } from 'vitest'
import { createGateHome } from '../gate-home.ts'
import { problemOf } from '../problem-of.ts'

const { load, yaml } = createGateHome()
const env = { FEISHU_APP_ID: ' cli_0123456789abcdef\n', FEISHU_APP_SECRET: ' s3cret\n' }

test('Feishu is connected when its app has an id and a secret, with the platform and chats of the file', () => {
  expect(load().feishu).toBeUndefined()
  expect(load({ FEISHU_APP_SECRET: 's3cret' }).feishu).toBeUndefined()
  expect(load(env).feishu).toEqual({
    appId: 'cli_0123456789abcdef',
    appSecret: 's3cret',
    platform: 'feishu',
    chats: [],
  })
  yaml('channels: {feishu: {app_id_env: A, app_secret_env: B, platform: lark, chats: [oc_1]}}')
  expect(
    load({ ...env, A: 'cli_fedcba9876543210', B: 'b', FEISHU_API_ROOT: 'http://127.0.0.1:1' }).feishu,
  ).toEqual({
    appId: 'cli_fedcba9876543210',
    appSecret: 'b',
    platform: 'lark',
    apiRoot: 'http://127.0.0.1:1',
    chats: ['oc_1'],
  })
  expect(load(env).feishu).toBeUndefined()
})

test('Feishu is refused with words when its id, its secret or its address is wrong, and the value of neither is shown', () => {
  expect(problemOf(() => load({ ...env, FEISHU_APP_ID: 's3cret' }))).toMatchObject({
    code: 'env.feishu',
    message:
      'Expected FEISHU_APP_ID to be the id of an app, such as cli_0123456789abcdef, got another text of length 6.',
    fix: 'Copy the App ID from the page "Credentials & Basic Info" of the developer console.',
  })
  for (const secret of ['', '  '])
    expect(problemOf(() => load({ ...env, FEISHU_APP_SECRET: secret }))).toMatchObject({
      code: 'env.feishu',
      message: 'Expected FEISHU_APP_SECRET to hold the secret of the app in FEISHU_APP_ID, got nothing.',
      fix: 'Copy the App Secret from the page "Credentials & Basic Info" of the developer console.',
    })
  expect(problemOf(() => load({ ...env, FEISHU_API_ROOT: 'file:///etc' }))).toMatchObject({
    code: 'env.api_root',
    message: 'Expected FEISHU_API_ROOT to be an address, got "file:///etc" (string).',
  })
})
