import { providerPage } from '../../../../features/providers/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'Provider' };
export default platformPage(providerPage);
