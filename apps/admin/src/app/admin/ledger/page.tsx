import { ledgerPage } from '../../../features/ledger/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Ledger' };
export default widePage(ledgerPage);
