import { PERSONAL_DATA_TYPES, type PersonalDataType } from '@tollgate/contracts';

import type { Hit } from '../finder';
import { createPersonalDataFinder } from './personal-data';

function found(text: string, types: readonly PersonalDataType[] = PERSONAL_DATA_TYPES): string[] {
  const hits: Hit[] = [];
  createPersonalDataFinder(types, 0).scan(text, hits);
  return hits.map(({ end, label, start }) => `${label} ${text.slice(start, end)}`);
}

test.each([
  ['write to ana.perez+bills@mail.example.org, please', 'EMAIL ana.perez+bills@mail.example.org'],
  ['<jörg@example.de>', 'EMAIL jörg@example.de'],
  ['mailto:a@b.co', 'EMAIL a@b.co'],
  ['card 4111 1111 1111 1111 exp 12/29', 'CARD 4111 1111 1111 1111'],
  ['card 5555555555554444.', 'CARD 5555555555554444'],
  ['amex 3782-822463-10005', 'CARD 3782-822463-10005'],
  ['pay to DE89 3704 0044 0532 0130 00 today', 'IBAN DE89 3704 0044 0532 0130 00'],
  ['GB82WEST12345698765432', 'IBAN GB82WEST12345698765432'],
  ['call +49 30 901820 now', 'PHONE +49 30 901820'],
  ['call +1 (415) 555-2671', 'PHONE +1 (415) 555-2671'],
  ['call (415) 555-2671', 'PHONE (415) 555-2671'],
  ['call 415-555-2671', 'PHONE 415-555-2671'],
  ['phone:+4915112345678', 'PHONE +4915112345678'],
  ['ssn 123-45-6789', 'NATIONAL_ID 123-45-6789'],
  ['cpf 529.982.247-25', 'NATIONAL_ID 529.982.247-25'],
  ['DNI 12345678Z', 'NATIONAL_ID 12345678Z'],
  ['NIE X1234567L', 'NATIONAL_ID X1234567L'],
  ['NINO AB 12 34 56 C', 'NATIONAL_ID AB 12 34 56 C'],
  ['CF RSSMRA85T10A562S', 'NATIONAL_ID RSSMRA85T10A562S'],
  ['NIR 2 55 08 14 168 025 38', 'NATIONAL_ID 2 55 08 14 168 025 38'],
  ['from 203.0.113.9 to', 'IP_ADDRESS 203.0.113.9'],
  ['from 2001:db8::1 to', 'IP_ADDRESS 2001:db8::1'],
])('%s', (text, expected) => {
  expect(found(text)).toEqual([expected]);
});

test.each([
  'git clone git@github.com:acme/app.git',
  'npm install left-pad@1.3.0 @types/node@24.1.0',
  '@app.route and user@host',
  'https://user@example.com/path',
  'card 4111 1111 1111 1112',
  'snowflake 1726483920174628864, nanoseconds 1700000000000000000',
  '550e8400-e29b-41d4-a716-446655440000',
  'deadbeef4111111111111111cafe',
  'v1.2.3.4-rc.1 and 10.24.3.1.7',
  'DE89 3704 0044 0532 0130 01',
  '2024-01-02T03:04:05.678901Z',
  '+1234567890123\n+12345678',
  'ssn 000-12-3456, 666-12-3456, 900-12-3456',
  'order 123-456-7890-11',
  'ratio 415.555.26',
  '127.0.0.1 ::1 0.0.0.0',
  '12:30:45 and std::vector',
])('nothing in %s', (text) => {
  expect(found(text)).toEqual([]);
});

test('several in one text, in one pass', () => {
  const text = 'a@b.co and c@d.org, 4111111111111111 or 5555 5555 5555 4444';
  expect(found(text, ['EMAIL', 'CARD'])).toEqual([
    'EMAIL a@b.co',
    'EMAIL c@d.org',
    'CARD 4111111111111111',
    'CARD 5555 5555 5555 4444',
  ]);
});
