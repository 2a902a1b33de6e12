import { Column } from 'typeorm';

/** The columns of a limit that each end user, session or value of a tag has for itself. */
export abstract class LimitOnValues {
  /** Of TAG. */
  @Column('text', { nullable: true })
  tagKey!: string | null;

  /** Refuses requests that name no value; otherwise such a limit does not count them. */
  @Column('boolean', { default: false })
  requireValue!: boolean;

  /** Keys the hash of values. Null: the limit is not on each value. */
  @Column('uuid', { nullable: true })
  valueKey!: string | null;
}
