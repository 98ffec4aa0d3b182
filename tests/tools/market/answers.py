"""Answers of job boards in their documented shapes, whole and broken."""

import json
from typing import Any

# https://developers.ashbyhq.com/docs/public-job-posting-api
ASHBY: dict[str, Any] = {
    "apiVersion": "1",
    "jobs": [
        {
            "title": "Forward Deployed Engineer",
            "location": "San Francisco",
            "secondaryLocations": [],
            "department": "Go To Market",
            "team": "Deployment",
            "isListed": True,
            "isRemote": False,
            "descriptionHtml": "<p>Own discovery.</p>",
            "descriptionPlain": "Own discovery.",
            "publishedAt": "2026-09-11T16:21:55.393+00:00",
            "employmentType": "FullTime",
            "jobUrl": "https://jobs.ashbyhq.com/example/1",
            "applyUrl": "https://jobs.ashbyhq.com/example/1/application",
        },
        {"title": "Software Engineer, Agent", "isListed": True, "publishedAt": "2026-08-01"},
        {"title": "Deployment Lead", "isListed": False, "publishedAt": "2026-08-02"},
        {"title": "Accountant", "isListed": True, "publishedAt": "2026-08-03"},
    ],
}

# https://developers.greenhouse.io/job-board.html
GREENHOUSE: dict[str, Any] = {
    "jobs": [
        {
            "id": 127817,
            "internal_job_id": 144381,
            "title": "Forward-Deployed Engineer, London",
            "updated_at": "2026-10-01T10:55:28-05:00",
            "requisition_id": "50",
            "location": {"name": "London"},
            "absolute_url": "https://boards.greenhouse.io/example/jobs/127817",
            "language": "en",
            "metadata": None,
        },
        {"id": 127818, "title": "Technical Deployment Lead", "updated_at": "2026-10-02"},
        {"id": 127819, "title": "Research Scientist", "updated_at": "2026-10-03"},
    ],
    "meta": {"total": 3},
}

# https://github.com/lever/postings-api
LEVER: list[dict[str, Any]] = [
    {
        "id": "5ac21346-8e0c-4494-8e7a-3eb92ff77902",
        "text": "Forward Deployed Software Engineer",
        "categories": {"commitment": "Full-time", "location": "New York", "team": "Delta"},
        "country": "US",
        "createdAt": 1_790_000_000_000,
        "hostedUrl": "https://jobs.lever.co/example/5ac21346",
        "workplaceType": "on-site",
    },
    {"id": "2", "text": "Deployment Strategist", "categories": {"team": "Echo"}},
    {"id": "3", "text": "Product Designer", "categories": {"team": "Dev"}},
]

HTML = "<!DOCTYPE html>\n<html><head><title>Just a moment...</title></head></html>"
PLANK: list[dict[str, Any]] = [
    {
        "title": "FDE",
        "segment": "frontier labs",
        "region": "United States",
        "salary": [200e3, 300e3],
    },
    {"title": "FDE", "segment": "frontier labs", "region": "Europe", "salary": [180e3, 220e3]},
    {"title": "FDE", "segment": "seed", "region": "United States", "salary": [100e3, 150e3]},
    {"title": "FDE", "segment": "seed", "region": "United States", "salary": None},
    {"title": "FDE", "segment": None, "region": "United States", "salary": [None, 150e3]},
    {"title": "FDE", "region": "United States", "salary": [140e3, 160e3]},
]


def board(answer: object, ats: str, company: str = "Example") -> dict[str, object]:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return {"company": company, "ats": ats, "fetched": "2026-10-07", "response": text}
