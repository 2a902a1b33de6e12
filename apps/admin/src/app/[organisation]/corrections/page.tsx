import { correctionsPage } from '../../../features/corrections/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Price corrections' };
export default organisationPage(correctionsPage);
