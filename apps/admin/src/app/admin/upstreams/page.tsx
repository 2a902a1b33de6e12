import { upstreamsPage } from '../../../features/upstreams/pages';
import { platformPage } from '../../../server/pages';

export const metadata = { title: 'Upstream health' };
export default platformPage(upstreamsPage);
