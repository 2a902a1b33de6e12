import { settingsPage } from '../../../features/settings/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Settings' };
export default platformPage(settingsPage);
