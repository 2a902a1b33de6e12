import { apiKeyPage } from '../../../../features/api-keys/pages';
import { platformPage } from '../../../../server/pages';

export const metadata = { title: 'API key' };
export default platformPage(apiKeyPage);
