import { platformCorrectionsPage } from '../../../features/corrections/pages';
import { widePage } from '../../../server/pages';

export const metadata = { title: 'Price corrections' };
export default widePage(platformCorrectionsPage);
