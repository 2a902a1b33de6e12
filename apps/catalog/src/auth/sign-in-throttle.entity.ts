import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Failed attempts of one kind from one address or at one account, counted for all replicas. */
@Entity('sign_in_throttle')
@Index(['forgetAt'])
export class SignInThrottle {
  /** The hash of what is counted: neither addresses nor names are kept. */
  @PrimaryColumn('bytea')
  key!: Buffer;

  @Column('integer')
  failures!: number;

  /** The begin of time when nothing is blocked. */
  @Column('timestamptz')
  blockedUntil!: Date;

  @Column('timestamptz')
  forgetAt!: Date;
}
