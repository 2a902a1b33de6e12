import { setupPage } from '../../../features/setup/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Set-up guide' };
export default organisationPage(setupPage);
