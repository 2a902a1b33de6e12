import { refusedPage } from '../../../features/refused/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Refused and failed' };
export default organisationPage(refusedPage);
