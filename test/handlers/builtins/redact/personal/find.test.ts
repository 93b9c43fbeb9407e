import examples from 'libphonenumber-js/mobile/examples'
import { getCountries, getExampleNumber } from 'libphonenumber-js/min'
import { describe, expect, test } from 'vitest'
import { findPersonal } from '../../../../../src/handlers/builtins/redact/personal/find.ts'
import { replaceSpans } from '../../../../../src/handlers/builtins/redact/span.ts'

const redacted = (text: string): string => replaceSpans(text, findPersonal(text))
/** Short marks, so that a line of a table shows all of it. */
const short = (text: string): string =>
  redacted(text).replaceAll(/\[redacted: (\w)\w* \w*\]/g, (_, kind: string) => `<${kind}>`)

test('a phone number of every country is found behind its plus, and with the word phone as it is written there', () => {
  const countries = getCountries()
  expect(countries.length).toBeGreaterThan(240)
  const missed = countries.flatMap((country) => {
    const example = getExampleNumber(country, examples)
    if (example === undefined) return [`${country}: no example`]
    const [far, near] = [example.formatInternational(), example.formatNational()]
    // On some islands numbers are shorter than what is taken for one without a word or a code.
    const isShort = example.nationalNumber.length < 7
    const texts = [`Phone: ${far}`, `Phone: ${example.number}`, ...(isShort ? [] : [far, `Phone: ${near}`])]
    return texts.filter((text) => !/^(?:Phone: )?<p>$/.test(short(text)))
  })
  expect(missed).toEqual([])
})

describe.each<[string, readonly (readonly [text: string, found: string])[]]>([
  [
    'a number as it is written at home',
    [
      ['(206) 555-0142, 206-555-0142', '<p>, <p>'],
      ['206-555-0142 206-555-0143', '<p> <p>'],
      ['(206) 555-0142 (206) 555-0143', '<p> <p>'],
      ['206.555.0142 or 1-206-555-0142', '<p> or <p>'],
      ['Fragen? 030 9018200, 0171/9876543, 0171 987 65 43', 'Fragen? <p>, <p>, <p>'],
      ['020 7946 0018 (London)', '<p> (London)'],
      ['06 12 34 56 79 ou 01.42.68.53.01', '<p> ou <p>'],
      ['044 668 18 00', '<p>'],
      ['138 0013 8001', '<p>'],
      ['8 (495) 765-43-21 и 8-916-765-43-21', '<p> и <p>'],
      ['from abroad 0049 30 9018200 or 00421 2 49141653', 'from abroad <p> or <p>'],
      ['Anna (030 9018200) said so', 'Anna (<p>) said so'],
    ],
  ],
  [
    'a number with the code of its country',
    [
      ['+49 (0)30 901-8200, +33 1 42 68 53 01 12 h', '<p>, <p> 12 h'],
      ['+41 (0)44 668 18 00', '<p>'],
      ['+1 206 555 0142 costs 1234567 or 206-555-0143', '<p> costs 1234567 or <p>'],
      ['Registrant Phone: +49.309018200', 'Registrant Phone: <p>'],
      ['tel:+12065550142;x', 'tel:<p>;x'],
      ['Reach me: (+44) 20 7946 0018', 'Reach me: <p>'],
      ['+1 206-555-0142 x77', '<p>'],
      ['＋４９ ３０ ９０１８２００', '<p>'],
    ],
  ],
  [
    'a number that is called a phone number',
    [
      ['Phone:\n467 3396', 'Phone:\n<p>'],
      ['phone number is 60-56-85-92.', 'phone number is <p>.'],
      ['{"mobilePhone": "612345679"}', '{"mobilePhone": "<p>"}'],
      ['Tel. 12 34 56 79', 'Tel. <p>'],
      ['we could not reach him at 99 668473', 'we could not reach him at <p>'],
      ['send the messages to 699 956 916', 'send the messages to <p>'],
      ['call me at 699 956 916 when you can', 'call me at <p> when you can'],
      ['What is her number? 612 345 679', 'What is her number? <p>'],
      ['nobody is answering at 6973945891', 'nobody is answering at <p>'],
      ['send messages to 05222695178, not to 5222695178', 'send messages to <p>, not to 5222695178'],
      ['موبايل: ٠١٠١٢٣٤٥٦٧٨, call me at ০১৭৮৯২৮৮৪৬৮', 'موبايل: <p>, call me at <p>'],
      ['मोबाइल: 9876543211', 'मोबाइल: <p>'],
      ['call me on 2065550142', 'call me on <p>'],
      ['Desk: 2065550142', 'Desk: <p>'],
      ['655 437 109 office', '<p> office'],
      ['电话13800138001。', '电话<p>。'],
      ['携帯：090-1234-5679', '携帯：<p>'],
      ['Mi número de teléfono: 612 345 679', 'Mi número de teléfono: <p>'],
    ],
  ],
  [
    'a card',
    [
      ['4111 1111 1111 1111', '<c>'],
      ['5500-0000-0000-0004 or 378282246310005', '<c> or <c>'],
      ['card 4111 1111 1111 1111 for 676222165679', 'card <c> for 676222165679'],
      ['order 12 4111 1111 1111 1111 34', 'order 12 <c> 34'],
      ['4222222222222 of my card 4222222222222', '4222222222222 of my card <c>'],
      ['credit card 6759649826438453, cc 676770000000000005', 'credit card <c>, cc <c>'],
      ['2200 0000 0000 0004, 6200000000000005, 3530111333300000', '<c>, <c>, <c>'],
    ],
  ],
  [
    'a bank account',
    [
      ['Pay GB82WEST12345698765432 or de89 3704 0044 0532 0130 00 and more', 'Pay <b> or <b> and more'],
      ['DE89370400440532013000 and 206-555-0142', '<b> and <p>'],
      ['NO93 8601 1117 947', '<b>'],
    ],
  ],
  [
    'an email address',
    [
      ["<a@b.co>, c_d+e@f-g.example.org; o'neil@h.ie", '<<e>>, <e>; <e>'],
      ['jörg@müller.example', '<e>'],
    ],
  ],
])('%s is taken out', (_, cases) => {
  test.each(cases)('%s', (text, found) => {
    expect(short(text)).toBe(found)
    expect(short(redacted(text))).toBe(found)
  })
})

test.each([
  'The build took 1234567 ms and wrote 12 345 678 bytes.',
  'v1.2.3.4, 10.20.30.40:8080, 192.168.100.200, 00:1A:2B:3C:4D:5E',
  'Tracking 9400 1118 9922 3397 5592 01, order 206-555-0142, invoice number 0171 9876543',
  '123e4567-e89b-12d3-a456-426614174000 and 1234567890abcdef1234567890abcdef12345678',
  '52.520008, 13.404954; 40.7128° N, 74.0060° W; -12.3456789, +49.123456, +4953-09709, +394421-1045903, +49.1234-010.1234',
  '2026-11-20 10:30, 20.11.2026, 05 12 2026, 11/20/2026, 20261120093000, 1700000000, 1700000000000',
  '206-555-0142-a1, 206-555-0142:8080, 206-555-0142%, #206-555-0142, https://a.example/206-555-0142',
  '41 111111 1111 1111 11',
  'ISBN 978-3-16-148410-0, EAN 4006381333931, ZIP 02139-4307, SSN 078-05-1120',
  '1.299,00 EUR, $1,234,567.89, 12 000 000 Kč, 1 234 567 users',
  'We called 1 234 567 users and sent messages to 12 345 678 people.',
  'chat -1001234567890, snowflake 1234567890123456789, id=0171-9876543',
  'Nature 585 (2020) 357-362, J. Biol. 29(4) 123-130, (1999) 123-456',
  '<Buffer 01 02 03 04 05> 0a 02 82 01 01 00 b6, chmod 0644 0755 0777, 010 101 010 111, 0399 0308 0342, text 11 10 12 1 0 0 0 f',
  '@@ -1234567,7 +1234567,8 @@ +12345678 -1234567 +132/-16760',
  'logo@2x.png, pkg@1.2.3, git@github.com:me/it.git, getty@tty1.service, https://me:word@host.example.com/',
  'card 4111 1111 1111 1112, card 0000 0000 0000 0000, [0.4111111111111111]',
  'DE88 3704 0044 0532 0130 00, DE89 3704 0044 0532 0130, XX89370400440532013000',
  '[redacted: phone number] [redacted: card number]',
])('Ordinary text stays: %s', (text) => {
  expect(redacted(text)).toBe(text)
})
