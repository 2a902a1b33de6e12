import { providerPage } from '../../../../features/providers/pages';
import { organisationPage } from '../../../../server/pages';

export const metadata = { title: 'Provider' };
export default organisationPage(providerPage);
