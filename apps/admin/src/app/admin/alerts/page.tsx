import { platformAlertsPage } from '../../../features/alerts/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Alerts' };
export default widePage(platformAlertsPage);
