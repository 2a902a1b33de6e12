import { redirect } from 'next/navigation';

import { paths } from '../../shell/paths';

interface HomeProps {
  params: Promise<{ organisation: string }>;
}

export default async function OrganisationHome({ params }: HomeProps) {
  redirect(paths.organisation((await params).organisation, 'dashboard'));
}
