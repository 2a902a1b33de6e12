import type { PersonalDataType } from '@tollgate/contracts';

import type { Finder } from '../../finder';
import { findIbans, findNationalIds, openCode } from './codes';
import { findEmails, openEmail } from './emails';
import { findIpAddresses, openIpAddress } from './ip-addresses';
import { findNumbers, openNumber } from './numbers';

/** Personal data with validators: check digits, issued ranges, known countries. */
export function createPersonalDataFinder(types: readonly PersonalDataType[], rule: number): Finder {
  const has = (type: PersonalDataType): boolean => types.includes(type);
  const nationalIds = has('NATIONAL_ID');
  const numbers = { cards: has('CARD'), phones: has('PHONE'), nationalIds };
  const anyNumber = numbers.cards || numbers.phones || nationalIds;
  const codes = has('IBAN') || nationalIds;
  const [emails, ibans, addresses] = [has('EMAIL'), has('IBAN'), has('IP_ADDRESS')];
  return {
    scan: (text, found) => {
      let open = text.length;
      if (emails) {
        findEmails(text, rule, found);
        open = openEmail(text);
      }
      // Codes first: a number inside of one is a part of it.
      if (ibans) findIbans(text, rule, found);
      if (nationalIds) findNationalIds(text, rule, found);
      if (codes) open = Math.min(open, openCode(text));
      if (anyNumber) {
        findNumbers(text, numbers, rule, found);
        open = Math.min(open, openNumber(text));
      }
      if (addresses) {
        findIpAddresses(text, rule, found);
        open = Math.min(open, openIpAddress(text));
      }
      return open;
    },
  };
}
