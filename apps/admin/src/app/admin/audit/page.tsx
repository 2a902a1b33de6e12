import { platformAuditPage } from '../../../features/audit/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Audit' };
export default widePage(platformAuditPage);
