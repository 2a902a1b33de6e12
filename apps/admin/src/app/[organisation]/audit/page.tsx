import { auditPage } from '../../../features/audit/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Audit' };
export default organisationPage(auditPage);
