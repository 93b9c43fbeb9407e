import { days } from './second-day.ts'
import { tell } from './hands.ts'

tell('the days after the first', days, {}, [
  ['Telegram', 'en'],
  ['Telegram', 'zh'],
  ['the page', 'en'],
  ['the page', 'zh'],
  ['Feishu', 'en'],
  ['Feishu', 'zh'],
])
