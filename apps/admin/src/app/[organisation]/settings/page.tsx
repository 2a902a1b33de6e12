import { settingsPage } from '../../../features/settings/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Settings' };
export default organisationPage(settingsPage);
