import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';
import { User } from './user.entity';

/**
 * One link of a sign-in's chain of refresh tokens. A token used twice gives a theft away: the
 * whole family is then revoked.
 */
@Entity('refresh_token')
@Unique(['tokenSha256'])
@Index(['userId'])
@Index(['familyId'])
@Index(['expiresAt'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class RefreshToken {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  userId!: string;

  @Column('uuid')
  familyId!: string;

  @Column('bytea')
  tokenSha256!: Buffer;

  @Column('timestamptz')
  expiresAt!: Date;

  /** When it was exchanged for the next one. */
  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  revokedAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
