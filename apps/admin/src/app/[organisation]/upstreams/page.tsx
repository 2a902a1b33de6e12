import { upstreamsPage } from '../../../features/upstreams/pages';
import { organisationPage } from '../../../server/pages';

export const metadata = { title: 'Upstream health' };
export default organisationPage(upstreamsPage);
