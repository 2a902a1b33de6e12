import { recordPage } from '../../../../features/usage/record-pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Request' };
export default platformPage(recordPage);
