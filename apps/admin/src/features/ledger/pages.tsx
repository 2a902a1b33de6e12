import { rest } from '@tollgate/contracts';

import { listInput } from '../../resource/list-input';
import type { WidePage } from '../../server/pages';
import { narrowed } from '../users/narrowed';
import { Ledger } from './ledger';

export const ledgerPage: WidePage = {
  reads: (ask, { organisationId, get }) => {
    switch (get('tab')) {
      case 'abandoned':
        return [
          ask(rest.listAbandoned, {
            query: listInput(rest.listAbandoned, get, narrowed(organisationId)),
          }),
        ];
      case 'corrections':
        return organisationId === undefined
          ? []
          : [
              ask(rest.listUsageAdjustments, {
                params: { organisationId },
                query: listInput(rest.listUsageAdjustments, get),
              }),
            ];
      case 'rerates':
        return organisationId === undefined
          ? []
          : [
              ask(rest.listRerates, {
                params: { organisationId },
                query: listInput(rest.listRerates, get),
              }),
            ];
      default:
        return [ask(rest.listQuarantine, { query: listInput(rest.listQuarantine, get) })];
    }
  },
  view: () => <Ledger />,
};
