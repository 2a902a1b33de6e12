'use client';

import { Plus, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

import { Button } from '../design/button';
import { Empty } from '../design/empty';
import { Page } from '../design/page';
import { ResourceList, type ResourceListProps } from './resource-list';
import { useLinkedNew } from './use-linked-action';

type ListPageProps<Row> = Omit<ResourceListProps<Row>, 'empty' | 'title'> & {
  /** What the rows are, in the plural: "API keys". */
  readonly title: string;
  /** The page's own title, where it shows more than these rows. */
  readonly heading?: string;
  readonly description: string;
  /** The button that makes one more; false where the user may not. */
  readonly create: false | { readonly label: string; readonly onSelect: () => void };
  /** Further buttons before that one. */
  readonly buttons?: ReactNode;
  /** Tabs and notices between the title and the list. */
  readonly above?: ReactNode;
  /** Shown when there are no rows at all, with the create button or an action of its own. */
  readonly empty: {
    readonly icon: LucideIcon;
    readonly title: string;
    readonly text: string;
    readonly action?: ReactNode;
  };
  /** Below the list, and what is open above the page. */
  readonly children?: ReactNode;
};

/** The page of one kind of resource: what it is, the button to make one, the list. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { heading, description, create, buttons, above, empty, children, ...list } = props;
  useLinkedNew(create !== false && create.onSelect);
  const button = create !== false && (
    <Button look="primary" onClick={create.onSelect}>
      <Plus aria-hidden />
      {create.label}
    </Button>
  );
  const { icon, title, text, action = button } = empty;
  return (
    <Page
      title={heading ?? list.title}
      description={description}
      actions={
        <>
          {buttons}
          {button}
        </>
      }
    >
      {above}
      <ResourceList
        {...list}
        empty={
          <Empty icon={icon} title={title} action={action}>
            {text}
          </Empty>
        }
      />
      {children}
    </Page>
  );
}
