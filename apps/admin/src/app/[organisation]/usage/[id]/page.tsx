import { recordPage } from '../../../../features/usage/record-pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Request' };
export default organisationPage(recordPage);
