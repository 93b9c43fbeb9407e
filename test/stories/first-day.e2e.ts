import { day, prepare } from './first-day.ts'
import { tell } from './hands.ts'

// The others are told in first-day.smoke.ts.
tell('the first day', day, { prepare }, [
  ['Telegram', 'zh'],
  ['the page', 'zh'],
  ['Feishu', 'en'],
  ['Feishu', 'zh'],
])
