"""Asking the Hugging Face hub: again when it is busy, and every refusal explained."""

from __future__ import annotations

import errno
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from mmbench.errors import MmbenchError, PrerequisiteError, UsageError

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TRIES, PAUSE_S = 5, 2.0
TRANSIENT = (408, 429, 500, 502, 503, 504)
OF_THE_DISK = (errno.ENOSPC, errno.EACCES, errno.EROFS)
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Spec:
    """A repository of the hub and the revision that is asked for."""

    repo: str
    revision: str = "main"

    @property
    def page(self) -> str:
        """Return the page where people accept terms and see what is there."""
        return f"https://huggingface.co/datasets/{self.repo}"

    @property
    def slug(self) -> str:
        """Return a name for folders and records."""
        return re.sub(r"[^a-z0-9._-]", "-", self.repo.lower().replace("/", "--"))


def api(endpoint: str | None) -> HfApi:
    """Return the hub's client, quiet; `endpoint` is the hub of the environment when None."""
    from huggingface_hub import HfApi
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    return HfApi(endpoint=endpoint)


class UnreachableError(PrerequisiteError):
    """The hub cannot be asked now; what was fetched before may do."""


def asked(spec: Spec, question: Callable[[], _Result]) -> _Result:
    """Ask the hub, again after a pause when it is busy; every refusal is explained."""
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError, OfflineModeIsEnabled

    for tried in range(1, TRIES + 1):
        try:
            return question()
        except OfflineModeIsEnabled as error:
            raise UnreachableError(
                f"HF_HUB_OFFLINE is set and {spec.repo} was not fetched before.",
                fix="Unset it once, to fetch.",
            ) from error
        except LocalEntryNotFoundError as error:
            cause: BaseException = error.__cause__ or error
            explained = (
                _explained(spec, cause) if isinstance(cause, HfHubHTTPError) else _no_connection(spec, cause)
            )
        except HfHubHTTPError as error:
            cause, explained = error, _explained(spec, error)
        except OSError as error:
            cause, explained = error, _no_connection(spec, error)
        except Exception as error:
            if not type(error).__module__.startswith(("httpx", "httpcore")):
                raise
            cause, explained = error, _no_connection(spec, error)
        if not isinstance(explained, UnreachableError) or tried == TRIES or not _passing(cause):
            raise explained from cause
        time.sleep(PAUSE_S * tried)
    raise AssertionError("the last try returns or raises")


def _passing(error: BaseException) -> bool:
    """Tell whether a failure may be gone after a pause; a connection that is refused will not."""
    status = getattr(getattr(error, "response", None), "status_code", None)
    return status in TRANSIENT


def _no_connection(spec: Spec, error: BaseException) -> MmbenchError:
    if isinstance(error, OSError) and error.errno in OF_THE_DISK:
        return PrerequisiteError(
            f"The dataset cannot be written: {error.strerror}.", fix="Free space or fix the folder."
        )
    return UnreachableError(
        f"The hub cannot be reached for {spec.repo} ({type(error).__name__}).",
        where=spec.page,
        fix="Check the network and run the same command again: what arrived is kept.",
    )


def _explained(spec: Spec, error: Any) -> MmbenchError:
    """Say what a refusal of the hub means and what to do about it."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

    hint = "set HF_TOKEN to a token of your account (or run `hf auth login`)"
    status = error.response.status_code
    if isinstance(error, GatedRepoError):
        return PrerequisiteError(
            f"The dataset {spec.repo} is gated.",
            where=spec.page,
            fix=f"Accept its terms on that page, then {hint}.",
        )
    if isinstance(error, RevisionNotFoundError):
        return UsageError(f"The dataset {spec.repo} has no revision '{spec.revision}'.", where=spec.page)
    if isinstance(error, RepositoryNotFoundError) or status == 401:
        return PrerequisiteError(
            f"There is no dataset {spec.repo} that you may see: it does not exist, or it is private.",
            where=spec.page,
            fix=f"Check the name; for a private one {hint}.",
        )
    if status == 403:
        return PrerequisiteError(
            f"The hub refuses access to {spec.repo} (403).",
            where=spec.page,
            fix=f"Ask its owner, then {hint}.",
        )
    return UnreachableError(
        f"The hub answers with status {status} for {spec.repo}.",
        where=spec.page,
        fix="Wait a little and run the same command again: what arrived is kept.",
    )
