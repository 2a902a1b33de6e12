import { alertsPage } from '../../../features/alerts/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Alerts' };
export default organisationPage(alertsPage);
